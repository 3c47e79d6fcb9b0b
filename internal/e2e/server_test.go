package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq" // the driver

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// server is a PostgreSQL server of a test, which can restart it. It listens on a socket of the file system, and in a
// network namespace also on hubAddress.
type server struct {
	t      *testing.T
	bin    string
	folder string
	where  *namespace // nil: that of this process
	cmd    *exec.Cmd
	log    trackertest.Output
}

// newServer starts an empty server.
func newServer(t *testing.T, where *namespace) *server {
	t.Helper()
	trackertest.Skip(t)
	install, err := pgprivate.Find(t.Context(), 0)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped: this test restarts a server of its own: ", err)
	}
	parent := ""
	if os.Getuid() == 0 {
		parent = "/tmp" // the server runs under another account, which has to get there
	}
	folder, err := os.MkdirTemp(parent, "spherelab-e2e-")
	expect.NoError(t, err)
	s := &server{t: t, bin: install.Bin, folder: folder, where: where}
	t.Cleanup(func() {
		s.stop()
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	initialise := exec.Command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "spherelab", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	initialise.Dir = "/"
	expect.NoError(t, asAnother(initialise, folder))
	if out, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	access := "local all all trust\n"
	if where != nil {
		access += "host all all " + hubNetwork + " trust\n" // this test's programs alone are in it
	}
	expect.NoError(t, os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte(access), 0o600))
	s.start()
	return s
}

func (s *server) data() string { return filepath.Join(s.folder, "data") }

// url is the address of the database postgres by way of the file system.
func (s *server) url() string {
	return "postgres://spherelab@/postgres?sslmode=disable&port=5432&host=" + s.folder
}

// hostURL is its address for programs in the namespaces of hosts.
func (s *server) hostURL() string {
	if s.where == nil {
		return s.url()
	}
	return "postgres://spherelab@" + hubAddress + ":5432/postgres?sslmode=disable"
}

// start starts the server and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	listen := ""
	if s.where != nil {
		listen = hubAddress
	}
	s.cmd = exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.folder, "-p", "5432", "-c",
		"listen_addresses="+listen, "-c", "fsync=off", "-c", "max_connections=60", "-c", "jit=off")
	s.cmd.Dir = "/"
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	expect.NoError(s.t, asAnother(s.cmd, s.folder))
	expect.NoError(s.t, s.where.start(s.cmd))
	db := s.open()
	defer db.Close()
	var err error
	for range 1200 {
		if err = db.Ping(); err == nil {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.t.Fatalf("the server does not answer: %v\n%s", err, s.log.String())
}

// stop ends the server by PostgreSQL's fast shutdown, which closes every connection.
func (s *server) stop() {
	s.t.Helper()
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	err := s.cmd.Process.Signal(syscall.SIGINT)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Error(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v\n%s", err, s.log.String())
	}
	s.cmd = nil
}

func (s *server) open() *sqlx.DB {
	s.t.Helper()
	db, err := sqlx.Open("postgres", s.url())
	expect.NoError(s.t, err)
	return db
}

// count is the number of jobs of a condition.
func (s *server) count(db *sqlx.DB, condition string) (n int) {
	s.t.Helper()
	expect.NoError(s.t, db.Get(&n, "SELECT count(*) FROM spherelab.job WHERE "+condition))
	return n
}

// until waits until so many jobs have a condition.
func (s *server) until(db *sqlx.DB, condition string, least int) {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s.count(db, condition) >= least {
			return
		}
	}
	s.t.Fatalf("no %d jobs in time that are %s", least, condition)
}
