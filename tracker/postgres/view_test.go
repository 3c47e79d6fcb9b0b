package postgres_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/spherelab/spherelab/migrations"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// viewRun logs a finished run with these changes to a run's params, validations of head and tail F1 at epochs 10, 20,
// ..., and a final head F1.
func viewRun(t *testing.T, tr *postgres.Store, changed map[string]string, validations [][2]float64, headF1 float64,
	tags map[string]string) string {
	t.Helper()
	ctx := context.Background()
	params := map[string]string{"model": "sphere-2d", "variant": "clean", "data": "/here/umls", "graph": "umls",
		"seed": "1", "gamma": "6", "dimension": "20", "train.adam_epsilon": "1e-08", "eval.fit": "false",
		"eval.top_l": "[1, 3]", "train.epochs": "30", "threads": "0", "config_hash": "a1", "graph_digest": "7e5"}
	maps.Copy(params, changed)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "views", Name: "run", Params: params,
		Tags: map[string]string{"criterion": "sphere"}}))
	for i, v := range validations {
		noError(t, run.LogMetrics(int64(10*(i+1)), map[string]float64{"loss": 1, "valid/head_f1": v[0],
			"valid/tail_f1": v[1]}))
	}
	noError(t, run.LogMetrics(30, map[string]float64{"test/head_f1": headF1, "test/head_f1_lo": headF1 - 0.25,
		"test/head_f1_hi": headF1 + 0.25, "test/mrr": 0.5, "test/head_hits_10": 0.75, "test/top-10/head_f1": 0.125,
		"test/top-10/tail_query_f1": math.NaN(), "test/category/n-n/head_rr": 0.0625}))
	noError(t, run.SetTags(tags))
	noError(t, run.Finish(ctx, tracker.Finished))
	return run.ID()
}

func rowsOf(t *testing.T, tr *postgres.Store, query string, args ...any) string {
	t.Helper()
	table := must[*tracker.Table](t)(tr.SQL(context.Background(), fmt.Sprintf(query, args...)))
	text := ""
	for _, row := range table.Texts("") {
		text += fmt.Sprintln(row)
	}
	return text
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestViewsGiveNumbers(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := viewRun(t, tr, map[string]string{"name": "12", "odd": "1e999", "tau": "not a number"},
		[][2]float64{{0.5, 0.25}, {0.625, 0.25}, {0.125, 0.5}}, 0.5, nil)
	table := must[*tracker.Table](t)(tr.SQL(context.Background(), `SELECT run_id, id, run_name, name, gamma, dimension, seed,
		epochs, adam_epsilon, tau, best_epoch, evaluated_epoch, params FROM run_wide`))
	raw, err := json.Marshal(table.Records()[0])
	noError(t, err)
	want(t, string(raw), `{"run_id":"`+id+`","id":"`+id+`","run_name":"run","name":"run","gamma":6,"dimension":20,"seed":1,`+
		`"epochs":30,"adam_epsilon":1e-8,"tau":null,"best_epoch":20,"evaluated_epoch":30,"params":{"odd":"1e999","tau":"not a number",`+
		`"data":"/here/umls","name":"12","seed":1,"gamma":6,"graph":"umls","model":"sphere-2d","threads":0,"variant":"clean",`+
		`"eval.fit":false,"dimension":20,"eval.top_l":[1,3],"config_hash":"a1","graph_digest":"7e5","train.epochs":30,`+
		`"train.adam_epsilon":0.00000001}}`)
	want(t, rowsOf(t, tr, `SELECT cut, is_default, metric, value, low, high FROM result ORDER BY cut, metric`),
		"[sphere true head_f1 0.5 0.25 0.75]\n[top-10 false head_f1 0.125  ]\n[top-10 false tail_query_f1 NaN  ]\n"+
			"[ false head_hits_10 0.75  ]\n[ false mrr 0.5  ]\n")
	want(t, rowsOf(t, tr, `SELECT run_id = '%s', cut, category, metric, value FROM category`, id),
		"[true sphere n-n head_rr 0.0625]\n")
	// Early stopping says which epoch was the best, and that one is evaluated.
	stopped := viewRun(t, tr, map[string]string{"seed": "9"}, [][2]float64{{0.5, 0.5}, {0.25, 0.25}}, 0.5,
		map[string]string{"best_epoch": "20"})
	want(t, rowsOf(t, tr, `SELECT best_epoch, evaluated_epoch FROM run_wide WHERE run_id = '%s'`, stopped), "[20 20]\n")
}

func TestConfigViewTakesTheNewestRunOfEachSeed(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	viewRun(t, tr, map[string]string{"seed": "2"}, nil, 0.25, nil) // repeated below
	same := []string{
		viewRun(t, tr, map[string]string{"seed": "2", "config_hash": "b2", "threads": "8"}, nil, 0.75, nil),
		viewRun(t, tr, map[string]string{"data": "/there/umls", "name": "other", "train.save_every": "7"}, nil, 0.5,
			nil),
	}
	viewRun(t, tr, map[string]string{"gamma": "7"}, nil, 1, nil)
	noError(t, startRun(t, tr, "no params").Finish(context.Background(), tracker.Finished))
	want(t, rowsOf(t, tr, `SELECT gamma, seed_count, seeds, head_f1, head_f1_deviation, mrr, mrr_deviation
		FROM config ORDER BY gamma`), "[6 2 [1, 2] 0.625 0.1767766952966369 0.5 0]\n[7 1 [1] 1  0.5 ]\n")
	slices.Reverse(same)
	ids, err := json.Marshal(same)
	noError(t, err)
	want(t, rowsOf(t, tr, `SELECT run_ids = '%s' FROM config WHERE gamma = 6`, ids), "[true]\n")
	want(t, rowsOf(t, tr, `SELECT count(DISTINCT config_key) FROM run_wide JOIN config USING (config_key)
		WHERE config.gamma = 6`), "[1]\n")
}

func TestStreamSQL(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	rows := 0
	stop := fmt.Errorf("enough")
	err := tr.StreamSQL(ctx, `SELECT generate_series(1, 2000000000) AS n`, func(columns *tracker.Table) error {
		if !slices.Equal(columns.Columns, []string{"n"}) {
			t.Errorf("columns %v", columns.Columns)
		}
		return nil
	}, func(row []any) error {
		if rows++; rows == 3 {
			return stop
		}
		return nil
	})
	if err != stop || rows != 3 {
		t.Errorf("%v after %d rows", err, rows)
	}
}

// A view that a user has made on run_wide neither stops the migration that changes run_wide nor stops working.
func TestViewsOfUsersOutlastTheMigration(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	run := startRun(t, tr, "before")
	noError(t, run.Finish(ctx, tracker.Finished))
	db := connect(t, uri)
	provider := must[*goose.Provider](t)(goose.NewProvider(goose.DialectPostgres, db.DB, migrations.FS,
		goose.WithTableName("spherelab.goose_ledger"), goose.WithDisableGlobalRegistry(true)))
	must[[]*goose.MigrationResult](t)(provider.DownTo(ctx, 2))
	must[sql.Result](t)(db.Exec(`CREATE VIEW public.mine AS SELECT id, name FROM spherelab.run_wide`))
	tr = trackertest.StoreWith(t, uri, tracker.Options{})
	for _, query := range []string{`SELECT name FROM public.mine`, `SELECT run_name FROM spherelab.run_wide`} {
		var name string
		noError(t, db.Get(&name, query))
		want(t, name, "before")
	}
	// The login that can only read was there before, and may read what the migrations have made.
	if _, err := tr.SQL(ctx, `SELECT relation FROM relation JOIN run_wide USING (run_id)`); err != nil {
		t.Error(err)
	}
	have, newest, err := tr.SchemaVersion(ctx)
	if err != nil || have != newest {
		t.Errorf("schema version %d of %d: %v", have, newest, err)
	}
}
