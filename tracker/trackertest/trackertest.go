// Package trackertest provides tests with a tracker on a database of their own.
//
// All tests of one test binary share the server of DATABASE_URL or, without one, a private PostgreSQL server that is
// removed when the binary has ended. The test binary needs no TestMain.
package trackertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq" // the driver

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// server starts the binary's server once. It runs until the process ends, and its folder is removed then.
var server = sync.OnceValues(func() (*pgprivate.Cluster, error) {
	dir, err := os.MkdirTemp("", "spherelab-test-")
	if err != nil {
		return nil, err
	}
	return pgprivate.Open(context.Background(), pgprivate.Options{Dir: dir, Idle: time.Second, Scratch: true})
})

// Skip skips the test and names the remedy if no PostgreSQL is installed. With CI=true the test fails instead.
func Skip(t testing.TB) {
	t.Helper()
	if os.Getenv("DATABASE_URL") != "" {
		return
	}
	if _, err := pgprivate.Find(context.Background(), 0); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped: ", err)
	}
}

// Database makes an empty database and returns its URL. It is dropped when the test has ended.
func Database(t testing.TB) string {
	t.Helper()
	Skip(t)
	return database(t, "")
}

// database makes a database, a copy of the template if it has a name, and returns its URL.
func database(t testing.TB, template string) string {
	t.Helper()
	admin := os.Getenv("DATABASE_URL")
	how := ""
	if admin == "" {
		c, err := server()
		if err != nil {
			t.Fatal("starting PostgreSQL for the tests: ", err)
		}
		admin = c.URL("postgres")
	}
	db, err := sqlx.Open("postgres", admin)
	expect.NoError(t, err)
	if template != "" {
		how = " TEMPLATE " + template
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	name := "spherelab_test_" + hex.EncodeToString(b[:])
	if _, err := db.Exec(`CREATE DATABASE ` + name + how + copied(db)); err != nil {
		db.Close()
		t.Fatal("creating the test's database: ", err)
	}
	u, err := url.Parse(admin)
	expect.NoError(t, err)
	u.Path = "/" + name
	t.Cleanup(func() {
		defer db.Close()
		drop(t, db, u.String(), name)
	})
	return u.String()
}

// migrated makes, on the binary's server, a database with the schema but without an identity and a login for SQL
// queries, and returns its name. Copies of it are complete after one more start, which makes both.
var migrated = sync.OnceValues(func() (string, error) {
	const name = "spherelab_test_template"
	c, err := server()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "spherelab-test-template-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	admin, err := sqlx.Open("postgres", c.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer admin.Close()
	if _, err := admin.Exec(`CREATE DATABASE ` + name); err != nil {
		return "", err
	}
	o := tracker.Options{DataDir: dir, Say: func(string) {}}
	s, err := postgres.Open(context.Background(), c.URL(name), o)
	if err != nil {
		return "", err
	}
	if err := s.Close(); err != nil {
		return "", err
	}
	db, err := sqlx.Open("postgres", c.URL(name))
	if err != nil {
		return "", err
	}
	defer db.Close()
	var role string
	if err := db.Get(&role, `SELECT role FROM spherelab.reader`); err != nil {
		return "", err
	}
	_, err = db.Exec(`DROP OWNED BY ` + role + `; DROP ROLE ` + role +
		`; DELETE FROM spherelab.reader; DELETE FROM spherelab.instance`)
	return name, err
})

// schema returns the URL of a database that is dropped when the test has ended. On the binary's own server it has the
// schema already, with the artifacts of its first experiment in the data directory; elsewhere it is empty.
func schema(t testing.TB, dataDir string) string {
	t.Helper()
	Skip(t)
	if os.Getenv("DATABASE_URL") != "" {
		return database(t, "")
	}
	template, err := migrated()
	if err != nil {
		t.Fatal("making the template of the tests' databases: ", err)
	}
	uri := database(t, template)
	db, err := sqlx.Open("postgres", uri)
	expect.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(`UPDATE public.experiments SET artifact_location = $1 WHERE experiment_id = 0`,
		tracker.FileURI(filepath.Join(dataDir, "artifacts", "0")))
	expect.NoError(t, err)
	return uri
}

// copied is how the binary's server makes a database. It forces nothing to the disk, so copied files cost less than
// pages through the log, which are the default since version 15.
func copied(db *sqlx.DB) (strategy string) {
	if os.Getenv("DATABASE_URL") == "" {
		_ = db.Get(&strategy, `SELECT CASE WHEN current_setting('server_version_num')::int >= 150000
			THEN ' STRATEGY file_copy' ELSE '' END`) // without an answer CREATE DATABASE says why
	}
	return strategy
}

// drop removes a test's database and the login that the migration made for it.
func drop(t testing.TB, admin *sqlx.DB, uri, name string) {
	role := ""
	if db, err := sqlx.Open("postgres", uri); err == nil {
		_ = db.Get(&role, `SELECT role FROM spherelab.reader`) // there is none if the database was never migrated
		if role != "" {
			if _, err := db.Exec(`DROP OWNED BY "` + role + `"`); err != nil {
				t.Log("dropping the reader's grants: ", err)
			}
		}
		db.Close()
	}
	if _, err := admin.Exec(`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`); err != nil {
		t.Log("dropping the test's database: ", err)
	}
	if role != "" {
		if _, err := admin.Exec(`DROP ROLE IF EXISTS "` + role + `"`); err != nil {
			t.Log("dropping the reader: ", err)
		}
	}
}

// Open returns a tracker with a database and a data directory of its own. They are removed at the end of the test.
func Open(t testing.TB) *tracker.Tracker {
	t.Helper()
	return Store(t).Tracker
}

// OpenWith is Open on a given database. Without a DataDir the test's temporary directory is used.
func OpenWith(t testing.TB, uri string, o tracker.Options) *tracker.Tracker {
	t.Helper()
	tr, err := open.Tracker(context.Background(), uri, options(t, o))
	expect.NoError(t, err)
	closeAfter(t, tr)
	return tr
}

// Store is Open for tests that need features of a database.
func Store(t testing.TB) *postgres.Store {
	t.Helper()
	dir := t.TempDir()
	return StoreWith(t, schema(t, dir), tracker.Options{DataDir: dir})
}

// StoreWith is OpenWith for tests that need features of a database.
func StoreWith(t testing.TB, uri string, o tracker.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), uri, options(t, o))
	expect.NoError(t, err)
	closeAfter(t, s.Tracker)
	return s
}

// StoreOf returns the database of a test's tracker.
func StoreOf(t testing.TB, tr *tracker.Tracker) *postgres.Store {
	t.Helper()
	s, err := postgres.Of(tr)
	expect.NoError(t, err)
	return s
}

func options(t testing.TB, o tracker.Options) tracker.Options {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	if o.Say == nil {
		o.Say = func(line string) { t.Log(line) }
	}
	return o
}

// EndCluster closes a tracker after the test and waits until the private cluster of its data directory, which is about
// to be removed, has ended.
func EndCluster(t testing.TB, tr io.Closer, dataDir string) {
	t.Cleanup(func() {
		_ = tr.Close() // the test has seen what it logged
		for s, err := pgprivate.Inspect(postgres.ClusterDir(dataDir)); err == nil && s.PID != 0; {
			time.Sleep(50 * time.Millisecond)
			s, err = pgprivate.Inspect(postgres.ClusterDir(dataDir))
		}
	})
}

func closeAfter(t testing.TB, tr *tracker.Tracker) {
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Log("closing the tracker: ", err)
		}
	})
}
