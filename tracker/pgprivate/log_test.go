//go:build unix

package pgprivate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

const stamp = "2025-01-02 03:04:05.678 UTC "

func TestLogTail(t *testing.T) {
	t.Parallel()
	const old = stamp + "[7] FATAL:  an old trouble\n"
	const ended = stamp + "[9] supervisor: server 8 ended: exit status 1\n"
	for _, c := range []struct{ log, want string }{
		{"", "its log is empty"},
		{ended, "its log is empty"},
		{"one\ntwo\nthree\nfour\n" + ended, "two three four"},
		{stamp + "[8] FATAL:  could not write lock file \"postmaster.pid\": No space left on device\n" +
			stamp + "[8] LOG:  database system is shut down\n" + ended + stamp +
			"[9] supervisor: the server ended: x\n",
			`FATAL: could not write lock file "postmaster.pid": No space left on device`},
		{stamp + "[8] LOG:  starting\n" + stamp + "[8] PANIC:  could not write\n" + stamp + "[8] LOG:  aborting\n",
			"PANIC: could not write"},
		{stamp + "[8] FATAL:  lock file exists\n" + stamp + "[8] HINT:  Is another one running?\n" + ended,
			"FATAL: lock file exists HINT: Is another one running?"},
		{stamp + "[8] FATAL:  first\n" + stamp + "[8] FATAL:  second\n", "FATAL: second"},
	} {
		dir := t.TempDir()
		expect.NoError(t, os.WriteFile(logPath(dir), []byte(old+c.log), 0o600))
		if got := logTail(dir, int64(len(old))); got != c.want {
			t.Errorf("from\n%sgot  %s\nwant %s", c.log, got, c.want)
		}
	}
}

func TestRemedyForAFullDisk(t *testing.T) {
	t.Parallel()
	const remedy = "the disk is full: free space on /d"
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "mkdir", Path: "/d", Err: syscall.ENOSPC}, true},
		{&os.PathError{Op: "write", Path: "/d", Err: syscall.EDQUOT}, true},
		{errors.New("initdb failed: could not write: No space left on device"), true},
		{errors.New("initdb failed: something else"), false},
	} {
		got := withRemedy("/d", c.err)
		hints := slices.Equal(hint.Of(got), []hint.Hint{{Action: hint.NameHome}})
		if strings.Contains(got.Error(), remedy) != c.want || hints != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v became %v with hints %v", c.err, got, hint.Of(got))
		}
	}
	if err := withRemedy("/d", nil); err != nil {
		t.Error(err)
	}
}

// TestStartOnAFullDisk starts a server program that ends as PostgreSQL does when it cannot write: with one more message
// after the cause.
func TestStartOnAFullDisk(t *testing.T) {
	bin := t.TempDir()
	for name, script := range map[string]string{
		"initdb": `for a; do [ "$b" = -D ] && mkdir -p "$a" && echo 17 >"$a/PG_VERSION" && : >"$a/postgresql.conf" && exit 0; b=$a; done; exit 1`,
		"postgres": `[ "$1" = --version ] && { echo "postgres (PostgreSQL) 17.5"; exit 0; }
echo "` + stamp + `[8] FATAL:  could not write lock file: No space left on device" >&2
echo "` + stamp + `[8] LOG:  database system is shut down" >&2
exit 1`,
	} {
		expect.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	if err := os.Chmod(filepath.Dir(bin), 0o755); err != nil { // another account may have to run them
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	dir := filepath.Join(t.TempDir(), "pg")
	for try := range 2 { // the second time the log holds the first messages
		c, err := Open(context.Background(), Options{Dir: dir, Idle: 100 * time.Millisecond, Scratch: true})
		if err == nil {
			c.Close()
			t.Fatal("a server that cannot start did")
		}
		for _, want := range []string{"FATAL: could not write lock file: No space left on device",
			"free space on " + dir} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("start %d: %q is not in: %v", try, want, err)
			}
		}
		if strings.Contains(err.Error(), "shut down") || strings.Contains(err.Error(), "supervisor:") {
			t.Errorf("start %d: the error has more than the cause: %v", try, err)
		}
	}
}
