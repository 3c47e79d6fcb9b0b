package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/present"
)

// sameOrder is how long further signals count as part of the first one: timeout(1) sends its signal to the program and
// to its group, so one request arrives twice.
const sameOrder = time.Second

// interrupts ends the context of a command at the first SIGINT, SIGTERM or SIGHUP, so that work is saved, and the
// program at a later one.
type interrupts struct {
	stderr io.Writer
	exit   func(code int)
	now    func() time.Time

	release func() // ends the watch, for a command that handles signals itself; set by start

	held    atomic.Int32                       // above 0 while Ctrl-C belongs to a child program
	abandon atomic.Pointer[func() []hint.Hint] // ends the run in progress; nil without one
}

func newInterrupts(stderr io.Writer) *interrupts {
	return &interrupts{stderr: stderr, exit: os.Exit, now: time.Now}
}

// start watches this process's signals until stop is called.
func (i *interrupts) start(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup(1) has it ignored
		signal.Notify(signals, syscall.SIGHUP)
	}
	go i.watch(signals, cancel)
	i.release = sync.OnceFunc(func() {
		signal.Stop(signals)
		close(signals)
	})
	return ctx, func() {
		i.release()
		cancel()
	}
}

// watch handles signals until their channel is closed or the program has to end.
func (i *interrupts) watch(signals <-chan os.Signal, cancel func()) {
	var first time.Time
	for s := range signals {
		switch {
		case s == os.Interrupt && i.held.Load() > 0: // the terminal sends Ctrl-C to us too
		case first.IsZero():
			first = i.now()
			doing := "ending"
			if i.abandon.Load() != nil {
				doing = "saving"
			}
			fmt.Fprintf(i.stderr, "spherelab: interrupted; %s (a second interrupt ends the program at once)\n", doing)
			cancel()
		case i.now().Sub(first) < sameOrder:
		default:
			i.end()
			return
		}
	}
}

// end ends the program without waiting for its work.
func (i *interrupts) end() {
	abandon := i.abandon.Load()
	if abandon == nil {
		fmt.Fprintln(i.stderr, "spherelab: ended at once")
		i.exit(exitInterrupted)
		return
	}
	// The message comes first: abandoning the run can take a moment.
	fmt.Fprintln(i.stderr, "spherelab: ended at once")
	if hints := (*abandon)(); len(hints) > 0 {
		fmt.Fprintln(i.stderr, "the last saved state is kept; "+present.Hints(hints, present.Program()))
	}
	i.exit(exitInterrupted)
}

// hold leaves Ctrl-C to a child program, as shells do, until release is called.
func (i *interrupts) hold() (release func()) {
	i.held.Add(1)
	return func() { i.held.Add(-1) }
}

// register registers how to end the run in progress at once. abandon returns how to resume it.
func (i *interrupts) register(abandon func() []hint.Hint) (done func()) {
	i.abandon.Store(&abandon)
	return func() { i.abandon.Store(nil) }
}
