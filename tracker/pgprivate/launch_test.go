//go:build unix

package pgprivate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// A program is killed after it started a supervisor and before the server answers. The next program uses that server
// and waits until it answers, but not forever.
func TestStarterIsKilled(t *testing.T) {
	t.Parallel()
	for name, locked := range map[string]bool{"at once": false, "when it holds the lock": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, Options{})
			p, ok := findRunning(c.data)
			if !ok {
				t.Fatal("no server is running")
			}
			expect.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			waitFor(t, "the supervisor to end", func() bool { return !isSupervised(c.o.Dir) })
			cmd, _, err := c.supervisor()
			expect.NoError(t, err)
			// Where everything that nothing refers to is collected at once, the supervisor keeps its lock all the same.
			cmd.Env = append(cmd.Env, "GOMEMLIMIT=1MiB")
			log, err := os.OpenFile(logPath(c.o.Dir), os.O_WRONLY|os.O_APPEND, 0)
			expect.NoError(t, err)
			defer log.Close()
			_, err = c.startSupervisor(cmd, log)
			expect.NoError(t, err)
			if locked {
				waitFor(t, "the supervisor to begin", func() bool { return isSupervised(c.o.Dir) })
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			expect.NoError(t, c.Ensure(ctx))
			expect.NoError(t, ping(c))
			// Without users the supervisor looks at the server again and again.
			expect.NoError(t, c.Stay(time.Minute))
			expect.NoError(t, c.Close())
			time.Sleep(500 * time.Millisecond)
			if !isSupervised(c.o.Dir) {
				t.Error("the supervisor lost its lock")
			}
			expect.NoError(t, os.Remove(filepath.Join(c.o.Dir, "stay")))
		})
	}
}

// A program that does not become a supervisor when it is started again, as the host of a shared library, is ended. The
// caller waits for it no longer than its deadline.
func TestProgramIsNoSupervisor(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"silent": "exec sleep 60", "other words": "echo ready >&3; exec sleep 60",
		"ends": "exit 0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needPostgres(t)
			folder := t.TempDir()
			program := filepath.Join(folder, "program")
			pid := filepath.Join(folder, "pid")
			expect.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho $$ > "+pid+"\n"+script+"\n"), 0o755))
			dir := filepath.Join(folder, "pg")
			expect.NoError(t, os.Mkdir(dir, 0o700))
			c := &Cluster{o: Options{Dir: dir, Scratch: true, Say: func(string) {}}, program: program,
				helloWithin: 2 * time.Second}
			var err error
			c.account, c.data, err = chooseAccount(dir)
			expect.NoError(t, err)
			defer c.Close()
			began := time.Now()
			err = c.Ensure(t.Context())
			if err == nil || !strings.Contains(err.Error(), program+", started again, did not become its supervisor") {
				t.Fatalf("got %v", err)
			}
			if waited := time.Since(began); waited > 30*time.Second { // initdb is part of it
				t.Errorf("it took %v", waited)
			}
			raw, err := os.ReadFile(pid)
			expect.NoError(t, err)
			waitFor(t, "the program to end", func() bool {
				return errors.Is(syscall.Kill(firstNumber(string(raw)), 0), syscall.ESRCH)
			})
		})
	}
}
