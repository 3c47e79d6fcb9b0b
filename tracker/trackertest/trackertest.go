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
	admin := os.Getenv("DATABASE_URL")
	if admin == "" {
		c, err := server()
		if err != nil {
			t.Fatal("starting PostgreSQL for the tests: ", err)
		}
		admin = c.URL("postgres")
	}
	db, err := sqlx.Open("postgres", admin)
	expect.NoError(t, err)
	var b [6]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	name := "spherelab_test_" + hex.EncodeToString(b[:])
	if _, err := db.Exec(`CREATE DATABASE ` + name); err != nil {
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
	return StoreWith(t, Database(t), tracker.Options{})
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
