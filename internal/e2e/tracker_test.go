package e2e

import (
	"bufio"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// psql on PATH is a program that says how it was called and reads to the end of its input.
func TestPsqlKeepsCtrlCAndThePassword(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	bin := t.TempDir()
	script := "#!/bin/sh\ntrap 'echo interrupted' INT\necho \"args: $*\"\necho \"password: $PGPASSWORD\"\nexec cat\n"
	expect.NoError(t, os.WriteFile(filepath.Join(bin, "psql"), []byte(script), 0o755))
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	u, err := url.Parse(database)
	expect.NoError(t, err)
	password := "s3cret/pass"
	if own, ok := u.User.Password(); ok {
		password = own // the server asks for it
	} else {
		q := u.Query()
		q.Set("password", password)
		u.RawQuery = q.Encode()
	}
	p.env[2] = "DATABASE_URL=" + u.String()
	cmd := p.command("tracker", "psql", "--", "-c", "select 1")
	cmd.Env[0] = "PATH=" + bin + ":" + os.Getenv("PATH")
	stdin, err := cmd.StdinPipe()
	expect.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	expect.NoError(t, err)
	stderr := &trackertest.Output{}
	cmd.Stderr = stderr
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // already gone unless the test failed
	lines := bufio.NewScanner(stdout)
	var said []string
	for len(said) < 2 && lines.Scan() {
		said = append(said, lines.Text())
	}
	if len(said) != 2 || strings.Contains(said[0], url.QueryEscape(password)) || strings.Contains(said[0], password) ||
		!strings.HasSuffix(said[0], "-c select 1") || said[1] != "password: "+password {
		t.Errorf("psql was called so: %q\n%s", said, stderr)
	}
	for range 2 { // the second comes after the time in which signals count as one
		expect.NoError(t, cmd.Process.Signal(os.Interrupt))
		time.Sleep(sameOrder + 200*time.Millisecond)
	}
	if _, err := io.WriteString(stdin, "still here\n"); err != nil || !lines.Scan() || lines.Text() != "still here" {
		t.Errorf("after two interrupts: %q, %v\n%s", lines.Text(), err, stderr)
	}
	expect.NoError(t, stdin.Close())
	for lines.Scan() {
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil || stderr.String() != "" {
		t.Errorf("%v\n%s", err, stderr)
	}
}

func TestColumnsOfOneNameStayApart(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var rows []map[string]int
	p.json(&rows, "tracker", "sql", "select 1 as a, 2 as a")
	if len(rows) != 1 || rows[0]["a"] != 1 || rows[0]["a_2"] != 2 {
		t.Error(rows)
	}
	if got := p.ok("tracker", "sql", "select 1 as a, 2 as a", "--format", "csv"); !strings.HasPrefix(got, "a,a_2\n") {
		t.Errorf("csv: %s", got)
	}
}

// secretForms are ways in which people give an address with a password, right or wrong.
var secretForms = []string{
	"postgres://bob@127.0.0.1:1/db?password=s3cret&sslmode=disable",
	"postgres://bob:s3cret@127.0.0.1:1/db?sslmode=disable",
	"host=127.0.0.1 port=1 password=s3cret", "postgresql:bob:s3cret@host/db", "postgres//bob:s3cret@host/db",
	"http://bob:s3cret@host", "postgres://bob:s3cret@host:port/db",
	"postgres://bob@127.0.0.1:1/db?sslmode=disable&sslpassword=s3cret",
}

func TestPasswordsAreNotRepeated(t *testing.T) {
	t.Parallel()
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir()}}
	var programs sync.WaitGroup // most of them wait for a server that is not there
	defer programs.Wait()
	check := func(env []string, args ...string) {
		programs.Go(func() {
			q := &program{t, append(slices.Clone(p.env), env...)}
			stdout, stderr, code := q.run(args...)
			if code == exitOK || strings.Contains(stdout+stderr, "s3cret") {
				t.Errorf("%v spherelab %v: exit %d\n%s%s", env, args, code, stdout, stderr)
			}
		})
	}
	for _, form := range secretForms {
		check([]string{"DATABASE_URL=" + form}, "runs", "ls")
		check([]string{"DATABASE_URL=" + form}, "doctor")
		check(nil, "train", "--set", "tracker.uri="+form)
		check(nil, "train", "--set", "tracker.url="+form)
	}
	check(nil, "train", "--set", "trackr=postgres://bob:s3cret@h/db")
	check(nil, "train", "--set", "seed=postgres://bob:s3cret@h/db")
	check(nil, "train", "--set", "postgres://bob:s3cret@h/db?sslmode=disable")
	check(nil, "train", "--set", "postgres://bob:s3cret@h/db")
	check(nil, "train", "postgres://bob:s3cret@h/db")
}

func TestAddressesThatDoNotWorkSayWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	config := smallJob(t, 2)
	file := filepath.Join(filepath.Dir(config), "away.yaml")
	raw, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(file, append([]byte("tracker:\n  uri: postgres://127.0.0.1:1/none?sslmode=disable\n"),
			raw...), 0o644)
	}
	expect.NoError(t, err)
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir()}}
	var programs sync.WaitGroup // most of them wait for a server that is not there
	defer programs.Wait()
	fails := func(code int, address string, wants []string, args ...string) {
		programs.Go(func() { (&program{t, append(slices.Clone(p.env), address)}).fails(code, wants, args...) })
	}
	const away = "postgres://127.0.0.1:1/none?sslmode=disable"
	fails(exitFailed, "", []string{"cannot be reached", "from " + file + ":2", "without it the private database is used"},
		"train", file)
	fails(exitFailed, "", []string{"from flag --tracker"}, "runs", "ls", "--tracker", away)
	fails(exitUsage, "", []string{"postgres://user:password@host", "from --set tracker.uri"}, "train", config,
		"--set", "tracker.uri=foo")
	fails(exitUsage, "DATABASE_URL=foo", []string{"postgres://user:password@host",
		"from environment variable DATABASE_URL"}, "runs", "ls")
	fails(exitFailed, "DATABASE_URL="+away, []string{"cannot be reached", "from environment variable DATABASE_URL"},
		"runs", "ls")
	if stdout, _, code := (&program{t, append(slices.Clone(p.env), "DATABASE_URL="+away)}).run("doctor"); code != exitFailed ||
		!strings.Contains(stdout, "from environment variable DATABASE_URL") {
		t.Errorf("doctor: exit %d\n%s", code, stdout)
	}
}
