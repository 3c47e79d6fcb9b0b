// Package lab is the notebook API for programs: graphs, models, trainings and answers as sets. The same lines are a
// notebook's cells and a Go program:
//
//	func main() {
//		lab.Main(func(ctx context.Context) {
//			run := lab.Train(lab.Graph("bundled"), lab.Model("sphere-2d").Epochs(30))
//			lab.Show(run.Ask("Max Born", "advised", "?"))
//		})
//	}
//
// Runs are logged where the program spherelab logs them: in the database that the environment or the user's settings
// name, otherwise in the private one. A function that fails panics with an *Error; Main writes its message. Programs
// that want errors as values use packages spherE, spherE/ask, experiments and tracker.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
)

//go:generate go run ./generate session function.go

// Options are where a session finds what it needs. The zero value is what the program spherelab uses.
type Options struct {
	// Tracker is the address of a database or a tracking server; "": that of the environment or the settings, otherwise
	// the private database.
	Tracker string
	// Home is the folder for everything that is kept; "": that of SPHERELAB_HOME or of the user.
	Home string
	// DataDirs are folders in which graphs are searched by name, before those in Home and the current folder.
	DataDirs []string
	// Threads is the number of threads of a training whose model does not set it; 0: all cores.
	Threads int
	// Progress receives what trainings show; nil: os.Stderr. io.Discard shows nothing.
	Progress io.Writer
}

// opened is the session of this package's functions. The program has one, as a notebook has.
var opened struct {
	sync.Mutex
	session *session.Session
	tracker *tracker.Tracker
	screen  *screen
}

var (
	errIsOpen   = errors.New("lab is open: call lab.Close before the next lab.Open")
	errIsClosed = errors.New("the session of this value was closed: get the run again, by lab.Run")
)

// Open starts the session of this package's functions and opens its tracker. Without it, the first function that is
// called opens one with zero Options. The end of ctx interrupts a training, whose state is then saved.
func Open(ctx context.Context, o Options) error {
	opened.Lock()
	defer opened.Unlock()
	if opened.session != nil {
		return errIsOpen
	}
	if err := start(ctx, o); err != nil {
		return err
	}
	if _, err := openTracker(ctx, o); err != nil {
		opened.session = nil
		return err
	}
	return nil
}

// start makes the session. Its tracker is opened when it is needed.
func start(ctx context.Context, o Options) error {
	home, err := open.Home(o.Home, os.Getenv)
	if err != nil {
		return err
	}
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	screen := newScreen(ctx, o.Progress)
	var own *session.Session
	own = session.New(session.Options{
		Cell: screen, DataDirs: append(o.DataDirs[:len(o.DataDirs):len(o.DataDirs)], filepath.Join(home, "data")),
		Threads: o.Threads, EntryPoint: "program",
		Tracker: func(ctx context.Context) (*tracker.Tracker, error) {
			opened.Lock()
			defer opened.Unlock()
			if opened.session != own {
				return nil, errIsClosed
			}
			return openTracker(ctx, o)
		},
	})
	opened.session, opened.screen = own, screen
	return nil
}

func openTracker(ctx context.Context, o Options) (*tracker.Tracker, error) {
	if opened.tracker != nil {
		return opened.tracker, nil
	}
	home, err := open.Home(o.Home, os.Getenv)
	if err != nil {
		return nil, err
	}
	options, err := open.Options(home, os.Getenv)
	if err != nil {
		return nil, err
	}
	out := opened.screen.out // Close forgets the screen before the tracker has said its last words
	options.Say = func(line string) { fmt.Fprintln(out, visible.Line(line)) }
	uri := o.Tracker
	if uri == "" {
		c, err := config.Load(config.Layers{Env: os.Environ()})
		if err != nil {
			return nil, err
		}
		uri = c.Config().Tracker.URI
	}
	opened.tracker, err = open.Tracker(ctx, uri, options)
	return opened.tracker, err
}

// current returns the session of this package's functions.
func current() *session.Session {
	opened.Lock()
	defer opened.Unlock()
	if opened.session == nil {
		if err := start(context.Background(), Options{}); err != nil {
			panic(&session.Error{Name: session.NoTracker, Message: err.Error(), Err: err})
		}
	}
	return opened.session
}

// Close ends the session and closes its tracker. A private database that no other program uses stops. The next function
// that is called opens another session.
func Close() error {
	opened.Lock()
	defer opened.Unlock()
	t := opened.tracker
	if opened.screen != nil {
		opened.screen.end()
	}
	opened.session, opened.tracker, opened.screen = nil, nil, nil
	if t == nil {
		return nil
	}
	return t.Close()
}

// Main runs a program on the user's tracker and does not return. The first Ctrl-C ends ctx and interrupts a training,
// which saves its state; the second one ends the process. An *Error is written as one message and ends the program with
// exit code 1, after an interrupt with 130.
func Main(program func(ctx context.Context)) {
	os.Exit(runProgram(program, os.Stderr))
}

func runProgram(program func(ctx context.Context), stderr io.Writer) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if err := Open(ctx, Options{}); err != nil {
		fmt.Fprintln(stderr, visible.Lines(err.Error()))
		return 1
	}
	defer func() {
		fault := recover()
		if err := Close(); err != nil && fault == nil {
			fmt.Fprintln(stderr, visible.Lines(err.Error()))
			code = 1
		}
		e, ok := fault.(*session.Error)
		switch {
		case ok && e.Name == session.Interrupted:
			code = 130
		case ok:
			code = 1
		case fault != nil:
			panic(fault)
		}
		if ok {
			fmt.Fprintln(stderr, visible.Lines(e.Message))
		}
	}()
	program(ctx)
	return 0
}

// Show writes what a cell shows for the results of its last call: their texts in one line, nothing if all are nil. A
// last one that is an error panics, and is left out if it is nil.
func Show(results ...any) { show(os.Stdout, results) }

func show(out io.Writer, results []any) {
	if n := len(results); n > 1 {
		if err, ok := results[n-1].(error); ok {
			Check(err)
		}
		if results[n-1] == nil {
			results = results[:n-1]
		}
	}
	if !slices.ContainsFunc(results, func(v any) bool { return v != nil }) {
		return
	}
	texts := make([]string, len(results))
	for i, v := range results {
		texts[i] = Text(v)
	}
	fmt.Fprintln(out, strings.Join(texts, " "))
}

// Display writes values as the function Display of cells shows them, each in a line. The error is always nil.
func Display(values ...any) error {
	for _, v := range values {
		fmt.Fprintln(os.Stdout, Text(v))
	}
	return nil
}

// Check ends a cell whose work has failed: it panics with an *Error unless err is nil.
func Check(err error) {
	if err != nil {
		panic(&session.Error{Name: session.Failed, Message: err.Error(), Err: err})
	}
}

// Text returns the text that a cell shows for a value.
func Text(v any) string {
	if view, ok := session.View(v); ok {
		v = view
	}
	if d, ok := display.Render(v); ok {
		text, _ := d.Data[display.MIMETypeText].(string)
		return text
	}
	return fmt.Sprint(v)
}
