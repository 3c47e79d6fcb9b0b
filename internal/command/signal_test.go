package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

// signalled sends signals, each so long after the first, to a watcher with the given run in progress. It returns what
// was written, whether the context ended, and the exit code, -1 without an exit.
func signalled(abandon func() []hint.Hint, held bool, at map[time.Duration]os.Signal,
	order ...time.Duration) (stderr string, cancelled bool, code int) {
	var b bytes.Buffer
	i := newInterrupts(&b)
	code = -1
	i.exit = func(c int) { code = c }
	clock := time.Unix(1000, 0)
	next := 0
	i.now = func() time.Time { return clock.Add(order[min(next, len(order)-1)]) }
	if abandon != nil {
		defer i.register(abandon)()
	}
	if held {
		defer i.hold()()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals, handled := make(chan os.Signal), make(chan struct{})
	go func() {
		i.watch(signals, cancel)
		close(handled)
	}()
	for n, d := range order {
		select {
		case signals <- at[d]: // unbuffered: the one before has been handled
			next = n + 1
		case <-handled:
		}
	}
	if code == -1 {
		close(signals)
	}
	<-handled
	return b.String(), ctx.Err() != nil, code
}

func TestSecondInterruptEndsAtOnceButADoubledOneDoesNot(t *testing.T) {
	t.Parallel()
	abandoned := 0
	abandon := func() []hint.Hint {
		abandoned++
		return []hint.Hint{{Action: hint.ResumeRun, Subject: "0123456789abcdef"}}
	}
	at := map[time.Duration]os.Signal{0: syscall.SIGTERM, time.Millisecond: syscall.SIGTERM,
		900 * time.Millisecond: os.Interrupt, 2 * time.Second: os.Interrupt}
	stderr, cancelled, code := signalled(abandon, false, at, 0, time.Millisecond, 900*time.Millisecond)
	if !cancelled || code != -1 || abandoned != 0 || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "saving") {
		t.Errorf("a doubled signal: cancelled %v, exit %d, abandoned %d, %q", cancelled, code, abandoned, stderr)
	}
	stderr, _, code = signalled(abandon, false, at, 0, time.Millisecond, 2*time.Second, 2*time.Second)
	if code != exitInterrupted || abandoned != 1 || !strings.Contains(stderr, "ended at once") ||
		!strings.Contains(stderr, "train --resume 01234567`") {
		t.Errorf("a second signal: exit %d, abandoned %d, %q", code, abandoned, stderr)
	}
	stderr, cancelled, code = signalled(nil, false, at, 0, 2*time.Second, 2*time.Second)
	if !cancelled || code != exitInterrupted || strings.Contains(stderr, "sav") || strings.Contains(stderr, "state") {
		t.Errorf("without a run: exit %d, %q", code, stderr)
	}
}

func TestCtrlCBelongsToAProgramWeRun(t *testing.T) {
	t.Parallel()
	at := map[time.Duration]os.Signal{0: os.Interrupt, 2 * time.Second: os.Interrupt, 3 * time.Second: syscall.SIGTERM}
	if stderr, cancelled, code := signalled(nil, true, at, 0, 2*time.Second); cancelled || code != -1 || stderr != "" {
		t.Errorf("held: cancelled %v, exit %d, %q", cancelled, code, stderr)
	}
	if _, cancelled, code := signalled(nil, true, at, 0, 2*time.Second, 3*time.Second); !cancelled || code != -1 {
		t.Errorf("SIGTERM while held: cancelled %v, exit %d", cancelled, code)
	}
}

// A terminal that closes sends SIGHUP: the work is saved as at Ctrl-C.
func TestHangup(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // under nohup(1) this ends that the signal is ignored
	defer signal.Stop(heard)
	ctx, stop := newInterrupts(io.Discard).start(context.Background())
	defer stop()
	expect.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("SIGHUP did not end the work")
	}
}
