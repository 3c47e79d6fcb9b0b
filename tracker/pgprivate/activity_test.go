//go:build unix

package pgprivate

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestAddressWithSpaces(t *testing.T) {
	t.Parallel()
	c := open(t, Options{Dir: filepath.Join(t.TempDir(), "my graphs", "pg")})
	if where := c.URL("postgres"); strings.Contains(where, "+") || !strings.Contains(where, "%20") {
		t.Errorf("libpq cannot read %s", where)
	}
	expect.NoError(t, ping(c))
}

// client connects to a cluster's server as any program may, without telling package pgprivate.
func client(t *testing.T, c *Cluster, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", c.URL(database))
	expect.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	expect.NoError(t, db.Ping())
	return db
}

func TestServerStaysWhileAClientIsConnected(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	const idle = 100 * time.Millisecond
	c, err := Open(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "pg"), Idle: idle, Scratch: true})
	expect.NoError(t, err)
	db := client(t, c, "postgres")
	server, ok := findRunning(c.data)
	if !ok {
		t.Fatal("no server is running")
	}
	expect.NoError(t, c.Close())
	if _, err := db.Exec("select pg_sleep($1)", (20 * idle).Seconds()); err != nil {
		t.Errorf("a query that is longer than the idle time: %v", err)
	}
	if now, ok := findRunning(c.data); !ok || now.PID != server.PID {
		t.Error("the server stopped although a client is connected")
	}
	db.Close()
	waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok })
	waitFor(t, "the scratch folder to go", func() bool { return !exists(c.o.Dir) })
}

func TestStayKeepsTheServer(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	c, err := Open(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "pg"), Idle: 50 * time.Millisecond,
		Scratch: true})
	expect.NoError(t, err)
	began := time.Now()
	const stay = time.Second
	expect.NoError(t, c.Stay(stay))
	expect.NoError(t, c.Stay(time.Millisecond)) // does not shorten the other
	expect.NoError(t, c.Close())
	waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok })
	if lasted := time.Since(began); lasted < stay {
		t.Errorf("the server stopped after %v, not %v", lasted, stay)
	}
	waitFor(t, "the scratch folder to go", func() bool { return !exists(c.o.Dir) })
}

// pandas connects, reads and disconnects in less time than lies between two looks.
func TestActivitySeesShortSessions(t *testing.T) {
	t.Parallel()
	c := open(t, Options{})
	if c.install.Major < 14 {
		t.Skipf("skipped: PostgreSQL %d does not count sessions; install 14 or newer", c.install.Major)
	}
	a, err := newActivity(c.socketDir)
	expect.NoError(t, err)
	defer a.close()
	for i := range 2 {
		if busy, err := a.hasClient(); err != nil || busy || !a.seen.IsZero() {
			t.Fatalf("look %d at an unused server: %v, %v, %v", i, busy, a.seen, err)
		}
	}
	client(t, c, "template1").Close()
	waitFor(t, "the session to be counted", func() bool {
		_, err := a.hasClient()
		expect.NoError(t, err)
		return !a.seen.IsZero()
	})
}
