package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/rest"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// revision is what MLflow says of a database's tables.
func revision(t *testing.T, db *sqlx.DB) (version string) {
	t.Helper()
	noError(t, db.Get(&version, `SELECT version_num FROM public.alembic_version`))
	return version
}

// views are all relations that people ask.
var views = []string{"run_wide", "epoch", "result", "category", "relation", "config", "metric", "point", "param", "tag"}

// useDatabase does with a tracker what programs do: it creates an experiment, logs, imports, lists and asks every view.
func useDatabase(t *testing.T, tr *postgres.Store, mark string) {
	t.Helper()
	ctx := context.Background()
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "of-" + mark, Name: mark,
		Params: map[string]string{"model": "sphere-2d"}, Tags: map[string]string{"colour": "red"},
		Inputs: []tracker.Dataset{{Name: "umls", Digest: "abc-" + mark, SourceType: "local", Source: "{}"}}}))
	noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "note.txt"), []byte("hello"), 0o644))
	for step := int64(1); step <= 3; step++ {
		noError(t, run.LogMetrics(step, map[string]float64{"loss": 1 / float64(step)}))
	}
	noError(t, run.LogResults(3, []tracker.EvaluationResult{{Split: "test", Metric: "mrr", Value: 0.25}},
		map[string]float64{"test/mrr": 0.25}))
	noError(t, run.Finish(ctx, tracker.Finished))
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, mark))
	if info.Metrics["loss"] != 1/3.0 || info.Metrics["test/mrr"] != 0.25 || info.Tags["colour"] != "red" {
		t.Errorf("%s: the run is %+v", mark, info)
	}

	info.ID, info.Name, info.Experiment = strings.Repeat("0", 24)+info.ID[:8], mark+"-imported", "imported-"+mark
	noError(t, tr.ImportRun(ctx, info, must[[]tracker.MetricPoint](t)(tr.Points(ctx, run.ID())), nil, nil))
	list := must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{Params: map[string]string{"model": "sphere-2d"}}))
	have := map[string]bool{}
	for _, r := range list {
		have[r.Name] = true
	}
	if !have[mark] || !have[info.Name] {
		t.Errorf("%s: the list has %v", mark, have)
	}
	for _, view := range views {
		table, err := tr.SQL(ctx, "SELECT * FROM "+view)
		if err != nil || len(table.Columns) == 0 {
			t.Errorf("%s: view %s: %v", mark, view, err)
		}
	}
	table := must[*tracker.Table](t)(tr.SQL(ctx, `SELECT loss FROM run_wide WHERE run_name LIKE '`+mark+`%'`))
	if len(table.Rows) != 2 || table.Rows[0][0] != 1/3.0 {
		t.Errorf("%s: run_wide has %v", mark, table.Rows)
	}
	noError(t, tr.Delete(ctx, info.ID))
	noError(t, tr.Restore(ctx, info.ID))
}

// served are the runs that an MLflow server returns, by name.
func served(t *testing.T, address string) map[string]rest.Run {
	t.Helper()
	ctx := context.Background()
	c := rest.New(address, rest.Login{})
	var ids []string
	for _, e := range must[[]rest.Experiment](t)(c.Experiments(ctx)) {
		ids = append(ids, e.ID)
	}
	runs := map[string]rest.Run{}
	noError(t, c.SearchRuns(ctx, rest.Search{Experiments: ids}, func(r rest.Run) bool {
		runs[r.Info.Name] = r
		return true
	}))
	return runs
}

// plainly drops the casts from constraints, which a dump writes in another form.
func plainly(lines []string) []string {
	casts := strings.NewReplacer("::text", "", "::character varying", "", "[]", "", "(", "", ")", "")
	var plain []string
	for _, line := range lines {
		plain = append(plain, casts.Replace(line))
	}
	return plain
}

// TestMLflow3UpgradesOurDatabase: `mlflow db upgrade` takes a database of ours, with runs and with one that is being
// logged, to the tables of the newest MLflow 3. A program that was connected before logs on, and so does a later one.
// MLflow's server returns the runs.
func TestMLflow3UpgradesOurDatabase(t *testing.T) {
	t.Parallel()
	python := trackertest.MLflowPython(t, trackertest.MLflow3)
	ctx := context.Background()
	uri := trackertest.Database(t)
	before := trackertest.StoreWith(t, uri, tracker.Options{})
	useDatabase(t, before, "before")
	db := connect(t, uri)
	old := revision(t, db)

	live := startRun(t, before, "live")
	logging, stop := context.WithCancel(ctx)
	logged := make(chan int64)
	go func() {
		step := int64(0)
		for ; logging.Err() == nil; time.Sleep(time.Millisecond) {
			step++
			if err := live.LogMetrics(step, map[string]float64{"loss": float64(step)}); err != nil {
				t.Error(err)
				break
			}
		}
		logged <- step
	}()
	out, err := trackertest.MLflowCommand(t, python, "db", "upgrade", uri).CombinedOutput()
	stop()
	points := <-logged
	if err != nil {
		t.Fatalf("mlflow db upgrade: %v\n%s", err, out)
	}
	noError(t, live.Finish(ctx, tracker.Finished))
	if now := revision(t, db); now == old {
		t.Fatalf("the revision is still %s", now)
	}
	// So the fixture that `make test` attaches to stands for an upgraded database, too.
	made := connect(t, trackertest.Database(t))
	execute(t, made, read(t, "mlflow_3_17.sql"))
	compareLines(t, plainly(catalog(t, db)), plainly(catalog(t, made)))
	history := must[[]tracker.Point](t)(before.History(ctx, live.ID(), "loss"))
	if int64(len(history)) != points || points < 100 {
		t.Errorf("%d points of %d that were logged during the upgrade", len(history), points)
	}
	for i, p := range history {
		if p.Step != int64(i)+1 || p.Value != float64(i)+1 {
			t.Fatalf("point %d is %+v", i, p)
		}
	}
	useDatabase(t, before, "connected-before")
	useDatabase(t, trackertest.StoreWith(t, uri, tracker.Options{}), "connected-later")

	address, _ := trackertest.MLflowServer(t, python, "--backend-store-uri", uri)
	runs := served(t, address)
	for _, name := range []string{"before", "live", "connected-before", "connected-later-imported"} {
		if runs[name].Info.Status != "FINISHED" || len(runs[name].Data.Metrics) == 0 {
			t.Errorf("MLflow's server returns of %s: %+v", name, runs[name])
		}
	}
}

// TestMLflow3ServerOnOurDatabase: a server of MLflow 3 that is started on a database of ours migrates it silently, and
// our programs keep running next to it.
func TestMLflow3ServerOnOurDatabase(t *testing.T) {
	t.Parallel()
	python := trackertest.MLflowPython(t, trackertest.MLflow3)
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	useDatabase(t, tr, "before")
	db := connect(t, uri)
	old := revision(t, db)
	address, _ := trackertest.MLflowServer(t, python, "--backend-store-uri", uri)
	if now := revision(t, db); now == old {
		t.Errorf("the server left the revision %s", now)
	}
	useDatabase(t, tr, "next to")
	useDatabase(t, trackertest.StoreWith(t, uri, tracker.Options{}), "later")
	for name, run := range served(t, address) {
		if run.Info.Status != "FINISHED" || len(run.Data.Params) == 0 {
			t.Errorf("MLflow's server returns of %s: %+v", name, run)
		}
	}
}

// TestAttachToTheDatabaseOfAnMLflow3Server: the newest MLflow 3 makes a database, and we log next to its server.
func TestAttachToTheDatabaseOfAnMLflow3Server(t *testing.T) {
	t.Parallel()
	python := trackertest.MLflowPython(t, trackertest.MLflow3)
	ctx := context.Background()
	uri := trackertest.Database(t)
	address, _ := trackertest.MLflowServer(t, python, "--backend-store-uri", uri)
	c := rest.New(address, rest.Login{})
	experiment := must[string](t)(c.CreateExperiment(ctx, "theirs"))
	theirs := must[rest.Run](t)(c.CreateRun(ctx, rest.NewRun{Experiment: experiment, Name: "theirs", Start: 1}))
	noError(t, c.LogBatch(ctx, theirs.Info.ID, []rest.Metric{{Key: "loss", Value: 0.5, Step: 1}}, nil, nil))

	db := connect(t, uri)
	made, tables := revision(t, db), catalog(t, db)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	useDatabase(t, tr, "ours")
	compareLines(t, catalog(t, db), tables)
	if now := revision(t, db); now != made {
		t.Errorf("alembic_version was %s and is %s", made, now)
	}
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "theirs"))
	if info.Metrics["loss"] != 0.5 || info.Experiment != "theirs" {
		t.Errorf("MLflow's run: %+v", info)
	}
	if runs := served(t, address); runs["ours"].Info.Status != "FINISHED" || len(runs) != 3 {
		t.Errorf("MLflow's server returns %+v", runs)
	}
}
