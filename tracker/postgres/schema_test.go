package postgres_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	expect.NoError(t, err)
	return string(b)
}

func catalog(t *testing.T, db *sqlx.DB) []string {
	t.Helper()
	var lines []string
	noError(t, db.Select(&lines, read(t, "catalog.sql")))
	return lines
}

func compareLines(t *testing.T, got, want []string) {
	t.Helper()
	have := map[string]bool{}
	for _, line := range got {
		have[line] = true
	}
	wanted := map[string]bool{}
	for _, line := range want {
		wanted[line] = true
		if !have[line] {
			t.Errorf("missing: %s", line)
		}
	}
	for _, line := range got {
		if !wanted[line] {
			t.Errorf("too much: %s", line)
		}
	}
	if !t.Failed() && strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("the same lines in another order")
	}
}

// The golden file is the catalog of a database that MLflow itself made.
func TestBaselineIsMLflowsSchema(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	want := strings.Split(strings.TrimSpace(read(t, "mlflow_catalog.txt")), "\n")
	if len(want) < 150 {
		t.Fatalf("the golden file has only %d lines", len(want))
	}
	compareLines(t, catalog(t, db), want)
	var n int
	noError(t, db.Get(&n, `SELECT count(*) FROM information_schema.tables
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`))
	if n != 19 {
		t.Errorf("%d tables in public, want 19", n)
	}
	var revision, name, stage string
	noError(t, db.Get(&revision, `SELECT version_num FROM alembic_version`))
	noError(t, db.QueryRow(`SELECT name, lifecycle_stage FROM experiments WHERE experiment_id = 0`).Scan(&name, &stage))
	if revision != "0584bdc529eb" || name != "Default" || stage != "active" {
		t.Errorf("revision %s, experiment 0 is %s (%s)", revision, name, stage)
	}
	have, newest, err := tr.SchemaVersion(context.Background())
	if err != nil || have != newest || have < 2 {
		t.Errorf("schema version %d of %d: %v", have, newest, err)
	}
}

// MLflow's upgrades change columns; a view over a public table would refuse that.
func TestViewsDoNotBlockUpgrades(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	startRun(t, tr, "before")
	db := connect(t, tr.URL())
	for _, statement := range []string{
		`ALTER TABLE params ALTER COLUMN value TYPE varchar(20000)`,
		`ALTER TABLE params ALTER COLUMN value TYPE text`,
		`ALTER TABLE runs ALTER COLUMN name TYPE varchar(500)`,
		`ALTER TABLE metrics ALTER COLUMN step TYPE numeric`,
		`ALTER TABLE metrics ALTER COLUMN step TYPE bigint`,
		`ALTER TABLE latest_metrics RENAME TO latest_metrics_old`,
		`ALTER TABLE latest_metrics_old RENAME TO latest_metrics`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	table, err := tr.SQL(context.Background(), `SELECT name FROM run_wide
		LEFT JOIN result USING (run_id) LEFT JOIN category USING (run_id) LEFT JOIN epoch USING (run_id)
		LEFT JOIN config USING (config_key) LEFT JOIN relation USING (run_id)`)
	if err != nil || len(table.Rows) != 1 || table.Rows[0][0] != "before" {
		t.Errorf("after the changes: %v, %v", table, err)
	}
	var n int
	noError(t, db.Get(&n, `SELECT count(*) FROM pg_class
		WHERE relnamespace = 'spherelab'::regnamespace AND relname IN ('runs', 'metrics')`))
	if n != 0 {
		t.Error("schema spherelab has a relation with a name of MLflow's")
	}
}

// A condition on a view must reach MLflow's indices: the functions have to be inlined, except for the two that are
// asked once which runs have no summary.
func TestViewsAreInlined(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	for _, view := range []string{"run_wide", "epoch", "result", "category", "relation", "metric", "point", "param", "tag"} {
		query := `SELECT * FROM spherelab.` + view + ` WHERE run_id = 'x'`
		var plan []string
		noError(t, db.Select(&plan, `EXPLAIN `+query))
		if text := strings.Join(plan, "\n"); strings.Contains(text, "Function Scan on "+view) {
			t.Errorf("%s is not inlined:\n%s", query, text)
		}
	}
}

// The points of the runs that are asked for are read run by run, and a condition on their key reaches them. The ids of
// runs are random, so the planner takes the points of a run to lie anywhere; joined, it would read those of all runs.
func TestCurvesReadTheirRuns(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	for _, statement := range []string{
		`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage, artifact_uri,
			experiment_id) SELECT md5(i::text), 'run', 'FINISHED', 'me', i, i, 'active', 'file:///none', 0
			FROM generate_series(1, 200) i`,
		`INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
			SELECT md5(i::text), 'key-' || k, 1, i, s, false
			FROM generate_series(1, 200) i, generate_series(1, 20) k, generate_series(1, 20) s`,
		`ANALYZE`,
	} {
		execute(t, db, statement)
	}
	var ids string
	noError(t, db.Get(&ids, `SELECT string_agg(quote_literal(md5(i::text)), ', ') FROM generate_series(1, 50) i`))
	var plan []string
	noError(t, db.Select(&plan, `EXPLAIN SELECT step, value FROM spherelab.point WHERE key = 'key-3' AND run_id IN (`+ids+`)`))
	text := strings.Join(plan, "\n")
	if !strings.Contains(text, "(run_uuid)::text = (r.run_uuid)::text") || !strings.Contains(text, "(key)::text = 'key-3'") {
		t.Errorf("the plan is\n%s", text)
	}
	var rows int
	noError(t, db.Get(&rows, `SELECT count(*) FROM spherelab.point WHERE key = 'key-3' AND run_id = md5('7')`))
	if rows != 20 {
		t.Errorf("a curve has %d points", rows)
	}
}

func TestAttachToADatabaseThatMLflowMade(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"mlflow_2_0.sql", "mlflow_2_8.sql", "mlflow_2_17.sql", "mlflow_2_18.sql",
		"mlflow_2_22.sql", "mlflow_3.sql", "mlflow_3_4.sql", "mlflow_3_17.sql"} {
		t.Run(file, func(t *testing.T) {
			ctx := context.Background()
			uri := trackertest.Database(t)
			db := connect(t, uri)
			execute(t, db, read(t, file))
			var revision string
			noError(t, db.Get(&revision, `SELECT version_num FROM public.alembic_version`))
			before := catalog(t, db)
			tr := trackertest.StoreWith(t, uri, tracker.Options{})
			compareLines(t, catalog(t, db), before)
			var now string
			noError(t, db.Get(&now, `SELECT version_num FROM public.alembic_version`))
			if now != revision {
				t.Errorf("alembic_version was %s and is %s", revision, now)
			}
			info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "python-run"))
			if info.Params["model"] != "python-model" || info.Tags["colour"] != "blue" || info.Metrics["loss"] != 0.2 ||
				info.Experiment != "from-python" {
				t.Errorf("MLflow's run: %+v", info)
			}
			points := must[[]tracker.Point](t)(tr.History(ctx, info.ID, "loss"))
			if len(points) != 5 || points[4].Value != 0.2 || points[4].Time.UnixMilli() != 1_700_000_000_005 {
				t.Errorf("MLflow's history: %v", points)
			}
			run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "test", Name: "ours",
				Inputs: []tracker.Dataset{{Name: "umls", Digest: "abc", SourceType: "local", Source: "{}"}}}))
			noError(t, run.LogMetrics(1, map[string]float64{"loss": 0.5}))
			noError(t, run.Finish(ctx, tracker.Finished))
			table := must[*tracker.Table](t)(tr.SQL(ctx, `SELECT name, loss FROM run_wide ORDER BY start_time DESC`))
			if len(table.Rows) != 2 || table.Rows[0][0] != "ours" || table.Rows[1][1] != 0.2 {
				t.Errorf("run_wide: %v", table.Rows)
			}
			useDatabase(t, tr, "used")
			// A run that another tool started has no heartbeat, and is never swept.
			execute(t, db, `UPDATE public.runs SET status = 'RUNNING' WHERE name = 'python-run'`)
			if ids, err := tr.SweepStale(ctx); err != nil || len(ids) != 0 {
				t.Errorf("swept %v, %v", ids, err)
			}
		})
	}
}

func TestAttachNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	db := connect(t, uri)
	execute(t, db, read(t, "mlflow_2_22.sql")+
		`; ALTER TABLE public.metrics DROP COLUMN is_nan; DROP TABLE public.tags`)
	_, err := postgres.Open(context.Background(), uri, tracker.Options{DataDir: t.TempDir()})
	wantCode(t, err, tracker.CodeSchema, "metrics.is_nan", "table tags", "mlflow db upgrade")
	var there bool
	noError(t, db.Get(&there, `SELECT to_regclass('public.tags') IS NOT NULL`))
	if there {
		t.Error("a table was added to MLflow's")
	}
}

// A role that is named like our schema would find it before public, and MLflow would make its tables there.
func TestPublicComesFirst(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	trackertest.StoreWith(t, uri, tracker.Options{})
	var first string
	noError(t, connect(t, uri).Get(&first, `SELECT current_schema()`))
	if first != "public" {
		t.Errorf("the first schema is %s", first)
	}
}

func TestProgramsMigrateOneDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	errs := make(chan error)
	const programs = 4
	for range programs {
		go func() {
			tr, err := postgres.Open(context.Background(), uri, tracker.Options{DataDir: t.TempDir()})
			if err == nil {
				err = tr.Close()
			}
			errs <- err
		}()
	}
	for range programs {
		noError(t, <-errs)
	}
}

// python is the interpreter that has MLflow's client.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SPHERELAB_PYTHON")
	if path == "" {
		const why = "SPHERELAB_PYTHON does not name a Python with mlflow, sqlalchemy and psycopg2; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip("skipped: " + why)
	}
	return path
}

func runPython(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(python(t), append([]string{filepath.Join("testdata", "mlflow_client.py")}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "MLFLOW_TRACKING_URI=", "PYTHONWARNINGS=ignore", "GIT_PYTHON_REFRESH=quiet")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mlflow_client.py %s: %v\n%s", args[0], err, stderr.String())
	}
	return out
}
