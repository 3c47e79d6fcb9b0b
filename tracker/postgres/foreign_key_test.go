package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// role is what session_replication_role is for the points of a run, and after them.
func role(t *testing.T, db *sqlx.DB, run string, during func()) (inside, after string) {
	t.Helper()
	ctx := context.Background()
	tx := must[*sqlx.Tx](t)(db.BeginTxx(ctx, nil))
	defer tx.Rollback()
	const show = `SELECT current_setting('session_replication_role')`
	noError(t, postgres.AsOneRun(ctx, tx, run, func() error {
		if during != nil {
			during()
		}
		return tx.Get(&inside, show)
	}))
	noError(t, tx.Get(&after, show))
	return inside, after
}

// TestForeignKeyIsCheckedOnce: the run is looked for once where that is as safe as once per point, and nowhere else.
func TestForeignKeyIsCheckedOnce(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	run := startRun(t, tr, "points")
	other := connect(t, uri)
	inside, after := role(t, tr.DB(), run.ID(), func() {
		tx := must[*sqlx.Tx](t)(other.Beginx())
		defer tx.Rollback()
		if _, err := tx.Exec(`SET LOCAL lock_timeout = '50ms'`); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(`DELETE FROM public.runs WHERE run_uuid = $1`, run.ID()); err == nil ||
			!strings.Contains(err.Error(), "lock timeout") {
			t.Errorf("another program removes the run meanwhile: %v", err)
		}
	})
	if inside != "replica" || after != "origin" {
		t.Errorf("the role is %s, and %s afterwards", inside, after)
	}
	if inside, _ := role(t, tr.DB(), strings.Repeat("0", 32), nil); inside != "origin" {
		t.Errorf("the role is %s for a run that is not there", inside)
	}
	execute(t, other, `CREATE FUNCTION public.told() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
	execute(t, other, `CREATE TRIGGER told AFTER INSERT ON public.metrics EXECUTE FUNCTION public.told()`)
	if inside, _ := role(t, tr.DB(), run.ID(), nil); inside != "origin" {
		t.Errorf("the role is %s in spite of a trigger", inside)
	}
	execute(t, other, `DROP TRIGGER told ON public.metrics`)
	execute(t, other, `CREATE TABLE public.keys (key varchar(250) PRIMARY KEY)`)
	execute(t, other, `ALTER TABLE public.metrics ADD FOREIGN KEY (key) REFERENCES public.keys NOT VALID`)
	if inside, _ := role(t, tr.DB(), run.ID(), nil); inside != "origin" {
		t.Errorf("the role is %s in spite of another key", inside)
	}
	execute(t, other, `ALTER TABLE public.metrics DROP CONSTRAINT metrics_key_fkey`)
	if inside, _ := role(t, tr.DB(), run.ID(), nil); inside != "replica" {
		t.Errorf("the role is %s again", inside)
	}
}

// TestWriterChecksEachPoint: the role of docs/postgres.md that logs may not leave the check out.
func TestWriterChecksEachPoint(t *testing.T) {
	t.Parallel()
	_, writer, _ := team(t)
	tr := trackertest.StoreWith(t, writer, tracker.Options{})
	run := startRun(t, tr, "points")
	for step := range int64(500) {
		noError(t, run.LogMetrics(step, map[string]float64{"loss": 1}))
	}
	noError(t, run.Flush(context.Background()))
	if inside, _ := role(t, tr.DB(), run.ID(), nil); inside != "origin" {
		t.Errorf("the role is %s", inside)
	}
	var stored int
	noError(t, tr.DB().Get(&stored, `SELECT count(*) FROM public.metrics`))
	if stored != 500 {
		t.Errorf("%d points are stored", stored)
	}
}

// TestPointsOfARunThatIsGone are refused, however many there are.
func TestPointsOfARunThatIsGone(t *testing.T) {
	t.Parallel()
	for _, points := range []int64{3, 500} {
		tr := trackertest.Store(t)
		run := startRun(t, tr, "gone")
		for _, statement := range []string{`DELETE FROM public.tags`, `DELETE FROM public.params`, `DELETE FROM public.inputs`,
			`DELETE FROM spherelab.heartbeat`, `DELETE FROM public.runs`} {
			execute(t, tr.DB(), statement)
		}
		for step := range points {
			noError(t, run.LogMetrics(step, map[string]float64{"loss": 1}))
		}
		if err := run.Flush(context.Background()); err == nil || !strings.Contains(err.Error(), "foreign key") {
			t.Errorf("%d points: %v", points, err)
		}
		var stored int
		noError(t, tr.DB().Get(&stored, `SELECT count(*) FROM public.metrics`))
		if stored != 0 {
			t.Errorf("%d points without a run are stored", stored)
		}
	}
}
