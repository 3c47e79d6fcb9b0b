//go:build unix

package pgprivate

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

// helperEnv makes the test binary a second program that uses the cluster of the named folder until its input ends.
const helperEnv = "PGPRIVATE_TEST_HELPER"

const helperIdle = 300 * time.Millisecond

func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv(helperEnv); ok {
		os.Exit(helper(dir))
	}
	os.Exit(m.Run())
}

func helper(dir string) int {
	c, err := Open(context.Background(), Options{Dir: dir, Idle: helperIdle, Scratch: true})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	if err := ping(c); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

func ping(c *Cluster) error {
	db, err := sql.Open("postgres", c.URL("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	var one int
	return db.QueryRow("select 1").Scan(&one)
}

func needPostgres(t *testing.T) {
	t.Helper()
	if _, err := Find(context.Background(), 0); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no PostgreSQL: ", err)
	}
}

func open(t *testing.T, o Options) *Cluster {
	t.Helper()
	needPostgres(t)
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "pg")
	}
	if o.Idle == 0 {
		o.Idle = 300 * time.Millisecond
	}
	o.Scratch = true
	c, err := Open(context.Background(), o)
	expect.NoError(t, err)
	t.Cleanup(func() {
		c.Close()
		waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok && !exists(c.data) })
	})
	return c
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

func TestOpenStartsAndStops(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	dir := filepath.Join(t.TempDir(), "pg")
	began := time.Now()
	c, err := Open(context.Background(), Options{Dir: dir, Idle: 200 * time.Millisecond})
	expect.NoError(t, err)
	t.Logf("first start: %v", time.Since(began))
	expect.NoError(t, ping(c))
	db, err := sql.Open("postgres", c.URL("postgres"))
	expect.NoError(t, err)
	defer db.Close()
	for name, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
		"listen_addresses": ""} {
		var got string
		if err := db.QueryRow("select current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
	info, err := os.Stat(c.socketDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket folder %s: mode %v, %v; want 0700", c.socketDir, info.Mode(), err)
	}
	p, ok := findRunning(c.data)
	if !ok {
		t.Fatal("no server is running")
	}
	// A Ctrl-C in a terminal goes to the terminal's foreground group; the server is in a session of its own.
	ours, err1 := getsid(0)
	theirs, err2 := getsid(p.PID)
	if err := errors.Join(err1, err2); err != nil || ours == theirs {
		t.Errorf("the server is in our session (%d, %d, %v)", ours, theirs, err)
	}
	if s, err := Inspect(dir); err != nil || !s.Supervised || s.PID != p.PID {
		t.Errorf("Inspect: %+v, %v", s, err)
	}
	db.Close()
	c.Close()
	waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok })
	waitFor(t, "the supervisor to end", func() bool { return !isSupervised(dir) })
	if !exists(filepath.Join(c.data, "PG_VERSION")) {
		t.Fatal("the data directory is gone")
	}
	began = time.Now()
	again, err := Open(context.Background(), Options{Dir: dir, Idle: 200 * time.Millisecond})
	expect.NoError(t, err)
	t.Logf("second start: %v", time.Since(began))
	expect.NoError(t, ping(again))
	again.Close()
	waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok })
}

func TestLongDirectoryGetsAShortSocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-folder-name/", 12), "pg")
	c := open(t, Options{Dir: dir})
	expect.NoError(t, ping(c))
	if len(c.socketDir) > maxSocketDir {
		t.Errorf("socket folder of %d bytes", len(c.socketDir))
	}
}

func TestSeveralProgramsShareOneServer(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	dir := filepath.Join(t.TempDir(), "pg")
	const programs = 3
	type program struct {
		cmd   *exec.Cmd
		input io.WriteCloser
		line  string
	}
	all := make([]program, programs)
	var wait sync.WaitGroup
	for i := range all { // all at once: exactly one of them creates the cluster
		wait.Go(func() {
			cmd := exec.Command("/proc/self/exe")
			if self, err := os.Executable(); err == nil {
				cmd = exec.Command(self)
			}
			cmd.Env = append(os.Environ(), helperEnv+"="+dir)
			in, err1 := cmd.StdinPipe()
			out, err2 := cmd.StdoutPipe()
			if err := errors.Join(err1, err2, cmd.Start()); err != nil {
				t.Error(err)
				return
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				line += err.Error()
			}
			all[i] = program{cmd, in, strings.TrimSpace(line)}
		})
	}
	wait.Wait()
	for i, p := range all {
		if p.line != "ready" {
			t.Fatalf("program %d: %s", i, p.line)
		}
	}
	data := filepath.Join(dir, "data")
	if a, d, err := chooseAccount(dir); err == nil && a.Kind == accountOther {
		data = d
	}
	first, ok := findRunning(data)
	if !ok {
		t.Fatal("no server")
	}
	// One ends by itself, one is killed: the third still has its server, after more than the idle time.
	all[0].input.Close()
	if err := all[0].cmd.Wait(); err != nil {
		t.Error(err)
	}
	if err := all[1].cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = all[1].cmd.Wait() // killed
	time.Sleep(3 * helperIdle / 2)
	if p, ok := findRunning(data); !ok || p.PID != first.PID {
		t.Fatal("the server stopped although a program uses it")
	}
	if err := all[2].cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = all[2].cmd.Wait() // killed
	waitFor(t, "the server to stop after its last user was killed", func() bool { _, ok := findRunning(data); return !ok })
	waitFor(t, "the scratch folder to go", func() bool { return !exists(dir) })
}

func TestEnsureRestartsAKilledServer(t *testing.T) {
	t.Parallel()
	c := open(t, Options{})
	db, err := sql.Open("postgres", c.URL("postgres"))
	expect.NoError(t, err)
	defer db.Close()
	for range 3 {
		// A session that is in the middle of something when its server dies.
		tx, err := db.Begin()
		expect.NoError(t, err)
		if _, err := tx.Exec("create table if not exists t (x int); insert into t values (1)"); err != nil {
			t.Fatal(err)
		}
		p, ok := findRunning(c.data)
		if !ok {
			t.Fatal("no server")
		}
		expect.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
		waitFor(t, "the server to die", func() bool { return !p.alive(c.data) })
		began := time.Now()
		expect.NoError(t, c.Ensure(context.Background()))
		t.Logf("restart: %v", time.Since(began))
		_ = tx.Rollback() // its connection is broken
		expect.NoError(t, ping(c))
	}
}

func TestEnsureReplacesAKilledSupervisor(t *testing.T) {
	t.Parallel()
	c := open(t, Options{})
	p, _ := findRunning(c.data)
	b, err := os.ReadFile(filepath.Join(c.o.Dir, "supervisor.lock"))
	expect.NoError(t, err)
	expect.NoError(t, syscall.Kill(firstNumber(string(b)), syscall.SIGKILL))
	waitFor(t, "the supervisor to die", func() bool { return !isSupervised(c.o.Dir) })
	if runtime.GOOS == "linux" { // elsewhere the server stays, and the next supervisor adopts it
		waitFor(t, "the server to end with its supervisor", func() bool { return !p.alive(c.data) })
	}
	expect.NoError(t, c.Ensure(context.Background()))
	if !isSupervised(c.o.Dir) {
		t.Error("no new supervisor")
	}
	expect.NoError(t, ping(c))
}

func TestStalePostmasterFileOfAnotherProcess(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	dir := filepath.Join(t.TempDir(), "pg")
	c, err := Open(context.Background(), Options{Dir: dir, Idle: 50 * time.Millisecond})
	expect.NoError(t, err)
	c.Close()
	waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok && !isSupervised(dir) })
	// As after a power cut and a restart of the machine: the number now belongs to an unrelated process.
	sleeper := exec.Command("sleep", "60")
	expect.NoError(t, sleeper.Start())
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	text := fmt.Sprintf("%d\n%s\n1\n%d\n%s\n\n  1 1\nready\n", sleeper.Process.Pid, c.data, clusterPort, c.socketDir)
	expect.NoError(t, os.WriteFile(filepath.Join(c.data, "postmaster.pid"), []byte(text), 0o600))
	c = open(t, Options{Dir: dir})
	expect.NoError(t, ping(c))
}

// TestStaleSocketLock starts the server with the locks of its socket that a server leaves which was killed while it
// started.
func TestStaleSocketLock(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	dir := filepath.Join(t.TempDir(), "pg")
	for _, lock := range []string{"", strconv.Itoa(os.Getppid()) + "\n"} {
		c, err := Open(context.Background(), Options{Dir: dir, Idle: 50 * time.Millisecond})
		if err != nil {
			t.Fatalf("with a lock %q: %v", lock, err)
		}
		expect.NoError(t, ping(c))
		c.Close()
		waitFor(t, "the server to stop", func() bool { _, ok := findRunning(c.data); return !ok && !isSupervised(dir) })
		path := filepath.Join(c.socketDir, fmt.Sprintf(".s.PGSQL.%d.lock", clusterPort))
		expect.NoError(t, os.WriteFile(path, []byte(lock), 0o600))
	}
	c := open(t, Options{Dir: dir})
	expect.NoError(t, ping(c))
}

func TestNothingInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if bins, _ := candidateBins(); len(bins) > 0 {
		// The test cannot hide programs at fixed places, so it needs a version that does not exist.
		_, err := Open(context.Background(), Options{Dir: futureCluster(t)})
		checkRemedy(t, err, "99")
		return
	}
	_, err := Open(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "pg")})
	checkRemedy(t, err, "install")
}

func futureCluster(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pg")
	expect.NoError(t, os.MkdirAll(filepath.Join(dir, "data"), 0o700))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("99\n"), 0o600))
	return dir
}

func checkRemedy(t *testing.T, err error, also string) {
	t.Helper()
	if _, ok := errors.AsType[*NotFoundError](err); !ok {
		t.Fatalf("got %v, want a NotFoundError", err)
	}
	for _, want := range []string{"install it: ", "/usr/lib/postgresql", also} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if hints := hint.Of(err); !slices.Equal(hints, []hint.Hint{{Action: hint.NameDatabase}}) {
		t.Errorf("hints %v", hints)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Options{Dir: filepath.Join(t.TempDir(), "pg")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
