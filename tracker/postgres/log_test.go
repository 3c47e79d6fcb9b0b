package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestClientsRenameARunAtOnce: requests for one run wait for one another and not in a circle, out of which the database
// takes them by failing one after a second.
func TestClientsRenameARunAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{
		Say: func(line string) { t.Error("a request had to be sent again: ", line) }})
	id, err := tr.CreateRun(ctx, 0, postgres.ClientRun{Name: "before"})
	noError(t, err)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 25 {
				tags := map[string]string{"mlflow.runName": fmt.Sprintf("%d-%d", client, i)}
				if err := tr.Store(ctx, id, tracker.Records{Tags: tags}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
}

// TestTagRunsIsAllOrNothing: an edit that fails among good ones undoes those before it, whether the run is not there,
// is deleted, or the database refuses its row.
func TestTagRunsIsAllOrNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	var ids []string
	for range 4 {
		id, err := tr.CreateRun(ctx, 0, postgres.ClientRun{Name: "one"})
		noError(t, err)
		ids = append(ids, id)
	}
	slices.Sort(ids)
	good, deleted := ids[:3], ids[3]
	noError(t, tr.Delete(ctx, deleted))
	check := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, id := range good {
			run, err := tr.FindRun(ctx, id)
			noError(t, err)
			got = append(got, run.Tags["mine"])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: tags %q, want %q", what, got, want)
		}
	}
	noError(t, tr.TagRuns(ctx, good, "mine", "first"))
	check("three runs", "first", "first", "first")
	refused := func(what string, code tracker.Code, runs []string, key, value string) {
		t.Helper()
		err := tr.TagRuns(ctx, runs, key, value)
		if err == nil || tracker.ErrorCode(err) != code {
			t.Errorf("%s: %v, code %v", what, err, tracker.ErrorCode(err))
		}
		check(what, "first", "first", "first")
	}
	for _, value := range []string{"second", ""} {
		refused("no run last", tracker.CodeNotFound, append(slices.Clone(good), "f0f0"), "mine", value)
		refused("no run first", tracker.CodeNotFound, append([]string{"f0f0"}, good...), "mine", value)
		refused("a deleted run", tracker.CodeInvalid, []string{good[0], deleted, good[1], good[2]}, "mine", value)
	}
	refused("a long name", tracker.CodeInvalid, good, strings.Repeat("k", 251), "x")
	for _, at := range []string{good[0], good[1], good[2]} {
		_, err := tr.DB().ExecContext(ctx, `CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN IF coalesce(new.run_uuid, old.run_uuid) = '`+at+`' THEN RAISE EXCEPTION 'refused'; END IF;
			RETURN coalesce(new, old); END $$;
			DROP TRIGGER IF EXISTS refuse ON public.tags;
			CREATE TRIGGER refuse BEFORE INSERT OR DELETE OR UPDATE ON public.tags FOR EACH ROW EXECUTE FUNCTION public.refuse()`)
		noError(t, err)
		for _, value := range []string{"second", ""} {
			if err := tr.TagRuns(ctx, good, "mine", value); err == nil {
				t.Error("the database refused a row, and TagRuns returned no error")
			}
			check("a refused row", "first", "first", "first")
		}
	}
	_, err := tr.DB().ExecContext(ctx, `DROP TRIGGER refuse ON public.tags`)
	noError(t, err)
	noError(t, tr.TagRuns(ctx, good[:2], "mine", ""))
	check("two are deleted", "", "", "first")
	noError(t, tr.TagRuns(ctx, good, "mine", "")) // where it is
	check("all are deleted", "", "", "")
}

// TestPointsLoggedTwice: calls of one millisecond that repeat a point store it once, also where another flush has
// stored it before.
func TestPointsLoggedTwice(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{FlushEvery: time.Millisecond})
	run := startRun(t, tr, "again")
	times := map[int64]bool{}
	for range 2000 {
		before := time.Now().UnixMilli()
		noError(t, run.LogMetrics(1, map[string]float64{"loss": 3}))
		if time.Now().UnixMilli() == before {
			times[before] = true
		}
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	var stored []int64
	noError(t, tr.DB().Select(&stored, `SELECT timestamp FROM public.metrics ORDER BY timestamp`))
	for i, at := range stored {
		delete(times, at)
		if i > 0 && at == stored[i-1] {
			t.Errorf("the point of %d is stored twice", at)
		}
	}
	if len(times) > 0 || len(stored) == 2000 {
		t.Errorf("%d points are stored; of %d times none is", len(stored), len(times))
	}
}
