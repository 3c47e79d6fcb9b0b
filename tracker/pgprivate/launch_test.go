package pgprivate

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A program is killed after it started a supervisor and before the server answers. The next program uses that server
// and waits neither for ever nor in vain.
func TestStarterIsKilled(t *testing.T) {
	t.Parallel()
	for name, locked := range map[string]bool{"at once": false, "when it holds the lock": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, Options{})
			p, ok := running(c.data)
			if !ok {
				t.Fatal("no server is running")
			}
			noError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			waitFor(t, "the supervisor to end", func() bool { return !supervised(c.o.Dir) })
			cmd, _, err := c.supervisor()
			noError(t, err)
			// Where everything that nothing refers to is collected at once, the supervisor keeps its lock all the same.
			cmd.Env = append(cmd.Env, "GOMEMLIMIT=1MiB")
			noError(t, cmd.Start())
			go func() { _ = cmd.Wait() }() // reap it whenever it ends
			if locked {
				waitFor(t, "the supervisor to begin", func() bool { return supervised(c.o.Dir) })
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			noError(t, c.Ensure(ctx))
			noError(t, ping(c))
			// Without users the supervisor looks at the server again and again.
			noError(t, c.Stay(time.Minute))
			noError(t, c.Close())
			time.Sleep(500 * time.Millisecond)
			if !supervised(c.o.Dir) {
				t.Error("the supervisor lost its lock")
			}
			noError(t, os.Remove(filepath.Join(c.o.Dir, "stay")))
		})
	}
}
