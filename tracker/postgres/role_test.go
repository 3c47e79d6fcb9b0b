package postgres_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// statements are those of a block of docs/postgres.md.
func statements(t *testing.T, block string) []string {
	t.Helper()
	text := string(must[[]byte](t)(os.ReadFile(filepath.Join("..", "..", "docs", "postgres.md"))))
	_, text, found := strings.Cut(text, "<!-- code:"+block+" -->\n```sql\n")
	text, _, closed := strings.Cut(text, "```\n<!-- /code:"+block+" -->")
	if !found || !closed {
		t.Fatalf("docs/postgres.md has no block %s", block)
	}
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";\n")
}

// team makes the database and the roles of docs/postgres.md, under names of the test's own. It returns the addresses of
// owner, writer and reader.
func team(t *testing.T) (owner, writer, reader string) {
	t.Helper()
	scratch := trackertest.Database(t)
	u := must[*url.URL](t)(url.Parse(scratch))
	admin := connect(t, scratch)
	own := strings.TrimPrefix(u.Path, "/") + "_team"
	rename := strings.NewReplacer("spherelab_", own+"_", "DATABASE spherelab", "DATABASE "+own)
	roles := []string{own + "_owner", own + "_writer", own + "_reader"}
	t.Cleanup(func() {
		for _, drop := range append([]string{"DATABASE IF EXISTS " + own + " WITH (FORCE)"}, "ROLE IF EXISTS "+
			strings.Join(roles, ", ")) {
			if _, err := admin.Exec("DROP " + drop); err != nil {
				t.Error(err)
			}
		}
	})
	for _, statement := range statements(t, "roles") {
		execute(t, admin, rename.Replace(statement))
	}
	u.Path = "/" + own
	owner, writer, reader = asRole(t, u.String(), roles[0], "x"), asRole(t, u.String(), roles[1], "x"),
		asRole(t, u.String(), roles[2], "x")
	if u.User.Username() == "" || u.Query().Get("host") == "" { // a server that asks for passwords
		for _, role := range roles {
			execute(t, admin, "ALTER ROLE "+role+" PASSWORD 'x'")
		}
	}
	trackertest.StoreWith(t, owner, tracker.Options{})
	db := connect(t, owner)
	for _, statement := range statements(t, "grants") {
		execute(t, db, rename.Replace(statement))
	}
	return owner, writer, reader
}

// refused runs statements that a role may not.
func refused(t *testing.T, db *sqlx.DB, list ...string) {
	t.Helper()
	for _, statement := range list {
		if _, err := db.Exec(statement); err == nil || !strings.Contains(err.Error(), "42501") { // insufficient privilege
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestRolesOfATeam: with the grants of docs/postgres.md and no others the writer trains, lists, queues and asks, and
// changes no table; the reader reads, and writes nothing.
func TestRolesOfATeam(t *testing.T) {
	t.Parallel()
	owner, writer, reader := team(t)
	tr := trackertest.StoreWith(t, writer, tracker.Options{ReaderURL: reader})
	useDatabase(t, tr, "of-the-writer")
	must[string](t)(tr.OpenGroup(t.Context(), tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}))
	if n := must[int](t)(tr.Enqueue(t.Context(), "sweep.yaml", []tracker.NewJob{{Key: "k", Title: "t", Config: "c"}})); n != 1 {
		t.Errorf("%d jobs", n)
	}
	lease := must[*postgres.Lease](t)(tr.TakeJob(t.Context(), "worker", 1e10))
	run := must[*tracker.Run](t)(tr.StartRun(t.Context(), tracker.RunSpec{Name: "of-a-job", Claim: lease.Claim()}))
	noError(t, run.Finish(t.Context(), tracker.Finished))
	noError(t, lease.Done(t.Context(), run.ID()))

	refused(t, connect(t, writer), `CREATE TABLE public.own (x int)`, `CREATE TABLE spherelab.own (x int)`,
		`DROP TABLE public.runs`, `ALTER TABLE public.runs ADD COLUMN own int`, `TRUNCATE public.metrics`,
		`UPDATE public.alembic_version SET version_num = 'x'`, `DELETE FROM spherelab.goose_ledger`,
		`CREATE SCHEMA own`, `CREATE ROLE own`, `COPY public.runs TO PROGRAM 'true'`)
	db := connect(t, reader)
	if _, err := db.Exec(`DELETE FROM public.runs`); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("the reader is not read-only: %v", err)
	}
	db.SetMaxOpenConns(1)
	execute(t, db, `SET default_transaction_read_only = off`)
	refused(t, db, `DELETE FROM public.runs`, `INSERT INTO public.tags VALUES ('k', 'v', 'r')`,
		`UPDATE spherelab.job SET state = 'done'`, `CREATE TABLE public.own (x int)`, `SELECT * FROM spherelab.reader`,
		`SELECT nextval('spherelab.fence')`, `SELECT pg_read_file('/etc/hosts')`, `COPY public.runs TO PROGRAM 'true'`)

	// A newer program than the tables, with the writer's rights.
	execute(t, connect(t, owner), `DELETE FROM spherelab.goose_ledger WHERE version_id = (SELECT max(version_id)
		FROM spherelab.goose_ledger)`)
	_, err := postgres.Open(t.Context(), writer, tracker.Options{DataDir: t.TempDir()})
	wantCode(t, err, tracker.CodeSchema, "may not change", "owner")
}

// asRole is uri with another login.
func asRole(t *testing.T, uri, role, password string) string {
	t.Helper()
	u, err := url.Parse(uri)
	expect.NoError(t, err)
	u.User = url.UserPassword(role, password)
	return u.String()
}
