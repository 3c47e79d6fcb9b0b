package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// summarised counts the runs whose summary holds.
func summarised(t *testing.T, db *sqlx.DB) (n int) {
	t.Helper()
	noError(t, db.Get(&n, `SELECT count(*) FROM spherelab.run_summary s JOIN public.runs r
		USING (run_uuid, status, end_time)`))
	return n
}

// act is something that is done to a run. If foreign, by a program that knows nothing of summaries: it is seen from the
// next start on.
type act struct {
	name    string
	foreign bool
	do      func()
}

// actsByMLflow change runs as MLflow does, past this program. They add to ids.
func actsByMLflow(t *testing.T, db *sqlx.DB, ids *[]string, some func() string, step func() int64) []act {
	t.Helper()
	exec := func(id, statement string, args ...any) {
		must[sql.Result](t)(db.Exec(statement, append([]any{id}, args...)...))
	}
	others := 0
	return []act{
		{"a run by MLflow", true, func() {
			others++
			id := fmt.Sprintf("%032x", 1<<40+others)
			exec(id, `INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage,
				artifact_uri, experiment_id, source_type) VALUES ($1, 'theirs', 'FINISHED', 'me', 1, 2, 'active', 'file:///none', 0,
				'LOCAL')`)
			*ids = append(*ids, id)
		}},
		{"a metric by MLflow", true, func() {
			id, s := some(), step()
			exec(id, `INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
				VALUES ($1, 'loss', 0.125, $2, $2, false)`, s)
			exec(id, `INSERT INTO public.latest_metrics (run_uuid, key, value, timestamp, step, is_nan)
				VALUES ($1, 'loss', 0.125, $2, $2, false) ON CONFLICT (key, run_uuid) DO UPDATE SET
				value = excluded.value, step = excluded.step, timestamp = excluded.timestamp`, s)
		}},
		{"an earlier step by MLflow", true, func() {
			id := some()
			tx := must[*sqlx.Tx](t)(db.Beginx())
			must[sql.Result](t)(tx.Exec(`INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
				SELECT run_uuid, key, 3, timestamp + 1, step - 1, false FROM public.latest_metrics
				WHERE run_uuid = $1 AND key = 'loss' ON CONFLICT DO NOTHING`, id))
			must[sql.Result](t)(tx.Exec(`SELECT FROM public.latest_metrics WHERE run_uuid = $1 AND key = 'loss'
				FOR UPDATE`, id))
			noError(t, tx.Commit())
		}},
		{"a param by MLflow", true, func() {
			exec(some(), `INSERT INTO public.params (run_uuid, key, value) VALUES ($1, $2, '1')`, fmt.Sprint("q", step()))
		}},
		{"a tag by MLflow", true, func() {
			exec(some(), `INSERT INTO public.tags (run_uuid, key, value) VALUES ($1, 'criterion', $2)
				ON CONFLICT (key, run_uuid) DO UPDATE SET value = excluded.value`, fmt.Sprint("top-", step()))
		}},
		{"a tag deleted by MLflow", true, func() {
			exec(some(), `DELETE FROM public.tags WHERE run_uuid = $1 AND key = 'criterion'`)
		}},
		{"a name by MLflow", false, func() { exec(some(), `UPDATE public.runs SET name = 'new' WHERE run_uuid = $1`) }},
	}
}

// Whatever is done to runs by this program and by others, the views say what the points say.
func TestSummariesAreThePoints(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	db := connect(t, uri)
	r := rand.New(rand.NewPCG(7, 2))
	ended := []tracker.Status{tracker.Finished, tracker.Failed, tracker.Killed}
	values := func() map[string]float64 {
		return map[string]float64{"loss": r.Float64(), "valid/head_f1": r.Float64(), "valid/tail_f1": r.Float64(),
			"valid/mrr": r.Float64(), "system/epoch_seconds": 1}
	}
	var ids []string
	some := func() string { return ids[r.IntN(len(ids))] }
	last := int64(0)
	step := func() int64 { last++; return last }
	begin := func() *tracker.Run {
		run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "run",
			Params: map[string]string{"model": "sphere-2d", "seed": fmt.Sprint(len(ids)), "gamma": "6"},
			Tags:   map[string]string{"criterion": "sphere"}}))
		noError(t, run.LogMetrics(step(), values()))
		noError(t, run.LogMetrics(step(), values()))
		return run
	}
	acts := []act{
		{"a run", false, func() {
			run := begin()
			noError(t, run.LogResults(step(), []tracker.EvaluationResult{
				{Split: "valid", Metric: "head_f1", Value: r.Float64()},
				{Split: "valid", Metric: "tail_f1", Value: r.Float64()}}, map[string]float64{"test/head_f1": r.Float64()}))
			noError(t, run.Finish(ctx, ended[r.IntN(3)]))
			ids = append(ids, run.ID())
		}},
		{"a resumed run", false, func() {
			run, err := tr.ResumeRun(ctx, some())
			if tracker.ErrorCode(err) == tracker.CodeNotFound {
				return // deleted
			}
			noError(t, err)
			noError(t, run.Flush(ctx))
			if n := unlikePoints(t, db); n > 0 {
				t.Errorf("%d rows differ while a run is resumed", n)
			}
			noError(t, run.LogMetrics(step(), values()))
			noError(t, run.SetTags(map[string]string{"best_epoch": fmt.Sprint(step())}))
			noError(t, run.Finish(ctx, tracker.Finished))
		}},
		{"records by a server", false, func() {
			err := tr.Store(ctx, some(), tracker.Records{Params: map[string]string{fmt.Sprint("p", step()): "1"},
				Tags:   map[string]string{"criterion": fmt.Sprint("top-", step())},
				Points: []tracker.MetricPoint{{Key: "valid/head_f1", Point: tracker.Point{Step: 1, Time: time.Now(), Value: 2}}}})
			if err != nil && tracker.ErrorCode(err) != tracker.CodeInvalid {
				t.Fatal(err)
			}
		}},
		{"a tag deleted by a server", false, func() {
			err := tr.DeleteTag(ctx, some(), "criterion")
			if c := tracker.ErrorCode(err); err != nil && c != tracker.CodeInvalid && c != tracker.CodeNotFound {
				t.Fatal(err)
			}
		}},
		{"deleted", false, func() {
			if err := tr.Delete(ctx, some()); err != nil && tracker.ErrorCode(err) != tracker.CodeNotFound {
				t.Fatal(err)
			}
		}},
		{"restored", false, func() {
			if err := tr.Restore(ctx, some()); err != nil && tracker.ErrorCode(err) != tracker.CodeNotFound {
				t.Fatal(err)
			}
		}},
		{"an import", false, func() {
			id := fmt.Sprintf("%032x", step())
			noError(t, tr.ImportRun(ctx, tracker.RunInfo{ID: id, Name: "imported", Status: string(tracker.Finished),
				Start: time.UnixMilli(1), End: time.UnixMilli(2), Params: map[string]string{"model": "rotate"}},
				[]tracker.MetricPoint{{Key: "loss", Point: tracker.Point{Step: 3, Time: time.UnixMilli(1), Value: 0.5}}},
				nil, nil))
			ids = append(ids, id)
		}},
	}
	acts = append(acts, actsByMLflow(t, db, &ids, some, step)...)
	doActs(t, ctx, tr, db, r, acts)
	// The comparison can fail.
	must[sql.Result](t)(db.Exec(`UPDATE spherelab.run_summary SET last_epoch = 99999`))
	if unlikePoints(t, db) == 0 {
		t.Error("a wrong summary was not seen")
	}
}

// doActs does 80 acts in a drawn order, and compares the views with the points after each.
func doActs(t *testing.T, ctx context.Context, tr *postgres.Store, db *sqlx.DB, r *rand.Rand, acts []act) {
	t.Helper()
	acts[0].do()
	maximum := 0
	for range 80 {
		act := acts[r.IntN(len(acts))]
		act.do()
		if act.foreign || r.IntN(4) == 0 {
			noError(t, tr.Summarise(ctx))
			maximum = max(maximum, summarised(t, db))
		}
		if n := unlikePoints(t, db); n > 0 {
			t.Fatalf("after %s %d rows differ", act.name, n)
		}
	}
	noError(t, tr.Summarise(ctx))
	if maximum < 5 {
		t.Errorf("only %d runs had a summary", maximum)
	}
}

// A program that writes an ended run and one that summarises it wait for each other.
func TestSummaryWaitsForAWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	db := connect(t, uri)
	run := startRun(t, tr, "run")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	noError(t, run.Finish(ctx, tracker.Finished))
	writer := must[*sqlx.Tx](t)(db.Beginx())
	noError(t, postgres.ForgetSummary(ctx, writer, run.ID()))
	must[sql.Result](t)(writer.Exec(`UPDATE public.latest_metrics SET value = 7 WHERE run_uuid = $1`, run.ID()))
	done := make(chan error, 1)
	go func() { done <- tr.Summarise(ctx) }()
	for waits := 0; waits == 0; { // until the other one waits
		noError(t, db.Get(&waits, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))
		select {
		case err := <-done:
			t.Fatal("the summary did not wait: ", err)
		default:
		}
	}
	noError(t, writer.Commit())
	noError(t, <-done)
	var loss float64
	noError(t, db.Get(&loss, `SELECT loss FROM spherelab.run_summary`))
	if n := unlikePoints(t, db); n > 0 || loss != 7 {
		t.Errorf("loss %v, %d rows differ", loss, n)
	}
}

// Every change of a run takes the lock of its summary before that of its row, so that two never wait for each other.
func TestChangesLockTheSummaryFirst(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	gone, _ := fullRun(t, tr, "gone")
	noError(t, tr.Delete(ctx, gone))
	for name, c := range map[string]struct {
		run    string
		change func(run string) error
	}{
		"Store": {"", func(run string) error {
			return tr.Store(ctx, run, tracker.Records{Tags: map[string]string{"mlflow.runName": "other"}})
		}},
		"DeleteTag": {"", func(run string) error { return tr.DeleteTag(ctx, run, "mlflow.user") }},
		"TagRuns":   {"", func(run string) error { return tr.TagRuns(ctx, []string{run}, "mlflow.runName", "new") }},
		"SetGroup": {"", func(run string) error {
			return tr.SetGroup(ctx, run, tracker.GroupState{Status: tracker.Failed})
		}},
		"Purge": {gone, func(run string) error { return tr.Purge(ctx, run) }},
	} {
		t.Run(name, func(t *testing.T) {
			run := c.run
			if run == "" {
				run, _ = fullRun(t, tr, name)
			}
			holder := must[*sqlx.Tx](t)(db.Beginx())
			noError(t, postgres.ForgetSummary(ctx, holder, run))
			done := make(chan error, 1)
			go func() { done <- c.change(run) }()
			for waiting := 0; waiting == 0; time.Sleep(5 * time.Millisecond) {
				noError(t, db.Get(&waiting, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))
			}
			_, err := holder.Exec(`SELECT 1 FROM public.runs WHERE run_uuid = $1 FOR UPDATE NOWAIT`, run)
			if err != nil {
				t.Errorf("it holds the row while it waits for the lock: %v", err)
			}
			noError(t, holder.Rollback())
			noError(t, <-done)
		})
	}
}

// A copy of the database in another cluster, as pg_dump makes it, has numbers of transactions that say nothing there.
func TestSummariesOfAnotherCluster(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, ahead := range map[string]int{"far ahead": 1_000_000, "next to it": 60} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := trackertest.Store(t)
			db := connect(t, tr.URL())
			id, _ := fullRun(t, tr, "run")
			noError(t, tr.Summarise(ctx))
			execute(t, db, fmt.Sprintf(`UPDATE spherelab.summary_horizon
				SET transaction = ((pg_current_xact_id()::text::bigint + %d)::text)::xid8`, ahead))
			// MLflow changes the run there, before or after this cluster comes to that number.
			execute(t, db, `UPDATE public.latest_metrics SET value = 7 WHERE key = 'loss' AND run_uuid = $1`, id)
			execute(t, db, `UPDATE public.metrics SET value = 7 WHERE key = 'loss' AND run_uuid = $1`, id)
			for range 100 {
				execute(t, db, `SELECT pg_current_xact_id()`)
			}
			if n := unlikePoints(t, db); n == 0 {
				t.Fatal("the summary is not of the old value")
			}
			noError(t, tr.Summarise(ctx))
			if n := unlikePoints(t, db); n > 0 {
				t.Errorf("%d rows of the views differ", n)
			}
			held := summarised(t, db)
			noError(t, tr.Summarise(ctx))
			if held != 1 || summarised(t, db) != 1 {
				t.Errorf("%d summaries", held)
			}
		})
	}
}

// Groups are in no view, so they get no summary, and a start does not look for it again and again.
func TestGroupsAreNotSummarised(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	id := must[string](t)(tr.OpenGroup(ctx, tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}))
	noError(t, tr.SetGroup(ctx, id, tracker.GroupState{Status: tracker.Finished}))
	horizon := func() (last int64) {
		noError(t, db.Get(&last, `SELECT transaction::text::bigint FROM spherelab.summary_horizon`))
		return last
	}
	noError(t, tr.Summarise(ctx))
	before := horizon()
	execute(t, db, `SELECT pg_current_xact_id()`)
	busy := must[*sqlx.Tx](t)(db.Beginx()) // as a program that summarises: there must be nothing to wait for
	must[sql.Result](t)(busy.Exec(fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, postgres.SummaryLock)))
	// A transaction of another test on this server may hold the horizon for a while.
	for began := time.Now(); horizon() <= before && time.Since(began) < 30*time.Second; {
		time.Sleep(50 * time.Millisecond)
		noError(t, tr.Summarise(ctx))
	}
	noError(t, busy.Rollback())
	if after := horizon(); after <= before {
		t.Errorf("the start found runs without a summary: the horizon is still %d", after)
	}
}
