package postgres_test

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Programs that open a group at once get the same run. A run whose group was deleted is taken over by another.
func TestGroupIsOneRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	spec := tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}
	const programs = 4
	ids := make(chan string)
	for range programs {
		own := trackertest.StoreWith(t, tr.URL(), tracker.Options{DataDir: t.TempDir(), ArtifactDir: tr.ArtifactRoot()})
		go func() {
			id, err := own.OpenGroup(ctx, spec)
			if err != nil {
				t.Error(err)
			}
			ids <- id
		}()
	}
	id := <-ids
	for range programs - 1 {
		if other := <-ids; other != id {
			t.Errorf("groups %s and %s", id, other)
		}
	}
	run := startRun(t, tr, "part")
	noError(t, run.Finish(ctx, tracker.Finished))
	parent := func() string { return must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")).Tags[tracker.TagParent] }
	spec.Name = "other.yaml"
	other := must[string](t)(tr.OpenGroup(ctx, spec))
	for _, group := range []string{id, other} {
		noError(t, tr.SetParent(ctx, must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")), group))
		if parent() != id {
			t.Errorf("the run belongs to %s, want %s", parent(), id)
		}
	}
	noError(t, tr.Delete(ctx, id))
	noError(t, tr.SetParent(ctx, must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")), other))
	if parent() != other {
		t.Errorf("the run belongs to %s, want %s", parent(), other)
	}
}

// A group of which a purge has begun to remove files is not taken again.
func TestPurgedGroupIsNotOpened(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	spec := tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}
	id := must[string](t)(tr.OpenGroup(ctx, spec))
	noError(t, tr.SetGroup(ctx, id, tracker.GroupState{Status: tracker.Finished}))
	noError(t, tr.Delete(ctx, id))
	db := connect(t, tr.URL())
	execute(t, db, `CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END'`)
	execute(t, db, `CREATE TRIGGER fail BEFORE DELETE ON public.runs FOR EACH ROW EXECUTE FUNCTION public.fail()`)
	if err := tr.Purge(ctx, id); err == nil {
		t.Fatal("the purge was not stopped")
	}
	_, err := tr.OpenGroup(ctx, spec)
	wantCode(t, err, tracker.CodeConflict, id, "purge it again")
	execute(t, db, `DROP TRIGGER fail ON public.runs`)
	noError(t, tr.Purge(ctx, id))
	if again := must[string](t)(tr.OpenGroup(ctx, spec)); again != id {
		t.Errorf("group %s, not %s", again, id)
	}
}
