package postgres_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// pooled is the address of a database through PgBouncer, which gives a connection of the server to a client for a
// transaction at a time.
func pooled(t *testing.T, uri string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		t.Skip("skipped: PgBouncer is not installed; `make deps` installs it")
	}
	u := must[*url.URL](t)(url.Parse(uri))
	host, port := u.Query().Get("host"), u.Query().Get("port")
	if host == "" {
		host, port = u.Hostname(), u.Port()
	}
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	own := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	listener.Close() // the port is free for PgBouncer
	login := "user=" + u.User.Username()
	if password, has := u.User.Password(); has {
		login += " password=" + password
	}
	file := filepath.Join(t.TempDir(), "pgbouncer.ini")
	noError(t, os.WriteFile(file, []byte(fmt.Sprintf("[databases]\n* = host=%s port=%s %s\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %s\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"+
		"ignore_startup_parameters = extra_float_digits\nunix_socket_dir =\n", host, port, login, own)), 0o600))
	cmd := exec.Command(program, "-q", file)
	asAnother(cmd)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); errors.Is(err, fs.ErrPermission) {
		t.Skip("skipped: PgBouncer refuses to be root's, and this machine has no user namespaces: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+own)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("PgBouncer does not answer: %v\n%s", err, said.String())
		}
	}
	return "postgres://" + url.PathEscape(u.User.Username()) + "@127.0.0.1:" + own + u.Path + "?sslmode=disable"
}

// TestPgBouncer: programs make the tables of an empty database and work in it at once, through a pool that has fewer
// connections than they have and gives them away after each transaction.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	direct := trackertest.Database(t)
	uri := pooled(t, direct)
	t.Run("programs", func(t *testing.T) {
		for i := range 5 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				tr := trackertest.StoreWith(t, uri, tracker.Options{})
				reader := must[string](t)(trackertest.StoreWith(t, direct, tracker.Options{}).ReaderURL(t.Context()))
				useDatabase(t, trackertest.StoreWith(t, uri, tracker.Options{ReaderURL: reader}), fmt.Sprintf("program-%d", i))
				if have, want, err := tr.SchemaVersion(t.Context()); err != nil || have != want {
					t.Errorf("schema version %d of %d, %v", have, want, err)
				}
			})
		}
	})
	var locks int
	noError(t, connect(t, direct).Get(&locks, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE l.locktype = 'advisory' AND d.datname = current_database()`))
	if locks != 0 {
		t.Errorf("%d advisory locks stayed behind", locks)
	}
}
