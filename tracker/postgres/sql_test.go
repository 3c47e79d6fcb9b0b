package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestSQLCannotChangeAnything(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	run := startRun(t, tr, "safe")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	noError(t, run.Finish(ctx, tracker.Finished))
	trace := filepath.Join(t.TempDir(), "trace")
	for _, query := range []string{
		`COPY (SELECT 1) TO PROGRAM 'touch ` + trace + `'`,
		`COPY runs TO '` + trace + `'`,
		`COPY runs FROM PROGRAM 'echo x'`,
		`DELETE FROM runs`,
		`UPDATE runs SET name = 'x'`,
		`INSERT INTO tags VALUES ('a', 'b', 'c')`,
		`WITH x AS (DELETE FROM metrics RETURNING *) SELECT * FROM x`,
		`DROP TABLE metrics`,
		`TRUNCATE metrics`,
		`CREATE TABLE public.mine (x int)`,
		`CREATE TEMP TABLE mine (x int)`,
		`ALTER ROLE CURRENT_USER SUPERUSER`,
		`SET ROLE spherelab`,
		`SELECT password FROM spherelab.reader`,
		`SELECT pg_read_file('/etc/passwd')`,
		`SELECT set_config('transaction_read_only', 'off', false)`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user`,
		`CREATE EXTENSION dblink`,
		`DO $$ BEGIN DELETE FROM runs; END $$`,
		`SELECT 1; DELETE FROM runs`,
		`COMMIT; DELETE FROM runs`,
	} {
		table, err := tr.SQL(ctx, query)
		if code := tracker.ErrorCode(err); code != tracker.CodeReadOnly && code != tracker.CodeSQL {
			// Asking to kill other people's sessions yields an error per session, or no row.
			t.Errorf("%s: code %q, %v, %v", query, code, err, table)
		}
	}
	// Leaving the transaction does not help: each query has its own.
	for _, query := range []string{`COMMIT`, `SET TRANSACTION READ WRITE`, `RESET ALL`,
		`SET default_transaction_read_only = off`} {
		_, _ = tr.SQL(ctx, query) // some are allowed and change nothing
		_, err := tr.SQL(ctx, `DELETE FROM runs`)
		wantCode(t, err, tracker.CodeReadOnly)
	}
	db := connect(t, uri)
	// PostgreSQL before 16 lets a read-only transaction make a large object; it must be gone with the transaction.
	_, _ = tr.SQL(ctx, `SELECT lo_from_bytea(0, 'x')`)
	var left int
	noError(t, db.Get(&left, `SELECT count(*) FROM pg_largeobject_metadata`))
	if left != 0 {
		t.Error("a large object was made")
	}
	// Even with writing switched on in the session the role has no right to.
	var role string
	noError(t, db.Get(&role, `SELECT role FROM spherelab.reader`))
	tx, err := db.Begin()
	noError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.Exec(`SET LOCAL ROLE "` + role + `"`)
	noError(t, err)
	if _, err := tx.Exec(`DELETE FROM runs`); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the reader deletes runs: %v", err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a program ran on the server")
	}
	if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "safe")); info.Metrics["loss"] != 1 {
		t.Errorf("the run is %+v", info)
	}
}

func TestReaderURL(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	noError(t, startRun(t, tr, "seen").Finish(ctx, tracker.Finished))
	reader := must[string](t)(tr.ReaderURL(ctx))
	if !strings.HasPrefix(reader, "postgresql://spherelab_reader_") {
		t.Errorf("the reader's address is %s", reader)
	}
	db := connect(t, reader)
	var name, revision string
	noError(t, db.Get(&name, `SELECT name FROM run_wide`))
	noError(t, db.Get(&revision, `SELECT version_num FROM alembic_version`)) // MLflow's programs look there first
	if name != "seen" || revision == "" {
		t.Errorf("the reader sees run %q, revision %q", name, revision)
	}
	if _, err := db.Exec(`BEGIN READ WRITE; DELETE FROM runs`); err == nil ||
		!strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the reader deletes runs: %v", err)
	}
}

func TestSQLErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	_, err := tr.SQL(ctx, "select name,\n\t lss\nfrom run_wide")
	wantCode(t, err, tracker.CodeSQL, `column "lss" does not exist (line 2, column 3)`, "\n  \t lss\n  \t ^")
	_, err = tr.SQL(ctx, "select 'ä', bad from run_wide")
	wantCode(t, err, tracker.CodeSQL, "(line 1, column 13)", "\n  select 'ä', bad from run_wide\n              ^")
	_, err = tr.SQL(ctx, "selct 1")
	wantCode(t, err, tracker.CodeSQL, "syntax error", "^")
	_, err = tr.SQL(ctx, "  ")
	wantCode(t, err, tracker.CodeSQL, "empty")
	_, err = tr.SQL(ctx, "select 1; select 2")
	wantCode(t, err, tracker.CodeSQL, "one statement")
	_, err = tr.SQL(ctx, "select 1/0")
	wantCode(t, err, tracker.CodeSQL, "division by zero")
	for _, query := range []string{"copy (select 1) to stdout", "/* all */ COPY public.runs TO STDOUT"} {
		_, err = tr.SQL(ctx, query)
		wantCode(t, err, tracker.CodeSQL, "COPY cannot be used here", "write its query alone")
	}
	_, err = tr.SQL(ctx, "select lastval()") // not a lock that might go away
	wantCode(t, err, tracker.CodeSQL, "lastval is not yet defined in this session")
	_, err = tr.SQL(ctx, "select $1::int")
	if err == nil {
		t.Error("a query with a parameter was accepted")
	}
	table := must[*tracker.Table](t)(tr.SQL(ctx, `select 1 as a, 'x' as b, null as c, true as d, 1.5::float8 as e,
		now() as f, 2.50::numeric as g;`))
	row := table.Rows[0]
	if row[0] != int64(1) || row[1] != "x" || row[2] != nil || row[3] != true || row[4] != 1.5 ||
		row[6] != json.Number("2.50") {
		t.Errorf("values %v", row)
	}
	if _, ok := row[5].(time.Time); !ok {
		t.Errorf("now() is %T", row[5])
	}
	if table.ColumnTypes[0] != "INT4" || table.ColumnTypes[4] != "FLOAT8" {
		t.Errorf("types %v", table.ColumnTypes)
	}
	if empty := must[*tracker.Table](t)(tr.SQL(ctx, "select id, name from run_wide")); len(empty.Columns) != 2 ||
		len(empty.Rows) != 0 {
		t.Errorf("no rows: %+v", empty)
	}
}

func TestSQLStopsWithItsContext(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := tr.SQL(ctx, "select pg_sleep(60)")
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	db := connect(t, uri)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var n int
		noError(t, db.Get(&n, `SELECT count(*) FROM pg_stat_activity
			WHERE state = 'active' AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`))
		if n == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the statement still runs on the server")
		}
	}
	if _, err := tr.SQL(context.Background(), "select 1"); err != nil {
		t.Error(err)
	}
}

// Without the right to create roles there is no read-only login, and no query runs.
func TestSQLWithoutAReader(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	admin := connect(t, uri)
	owner := "owner_" + filepath.Base(t.TempDir()) + time.Now().Format("150405.000000000")
	owner = strings.NewReplacer(".", "_", "/", "_").Replace(owner)
	execute(t, admin, `CREATE ROLE `+owner+` LOGIN PASSWORD 'pw'; GRANT ALL ON SCHEMA public TO `+
		owner)
	t.Cleanup(func() {
		if _, err := admin.Exec(`DROP OWNED BY ` + owner + ` CASCADE; DROP ROLE ` + owner); err != nil {
			t.Log(err)
		}
	})
	limited := asRole(t, uri, owner, "pw")
	_, err := postgres.Open(ctx, limited, tracker.Options{DataDir: t.TempDir()})
	wantCode(t, err, tracker.CodeSchema, "GRANT CREATE ON DATABASE")
	var database string
	noError(t, admin.Get(&database, `SELECT current_database()`))
	execute(t, admin, `GRANT CREATE ON DATABASE `+database+` TO `+owner)
	tr := trackertest.StoreWith(t, limited, tracker.Options{})
	run := startRun(t, tr, "plain")
	noError(t, run.Finish(ctx, tracker.Finished))
	_, err = tr.SQL(ctx, "select 1")
	wantCode(t, err, tracker.CodeNoReader, "CREATEROLE", owner)
	wantHints(t, err, hint.MigrateTracker, hint.NameReader)
	// The owner's own login is not taken for a read-only one, nor is an administrator's.
	for _, reader := range []string{limited, uri} {
		again := trackertest.StoreWith(t, limited, tracker.Options{ReaderURL: reader})
		_, err = again.SQL(ctx, "select 1")
		wantCode(t, err, tracker.CodeNoReader, "may only SELECT")
	}
}
