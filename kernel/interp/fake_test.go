package interp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cosmos72/gomacro/imports"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	golang "github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// fakeIO records what cells show and answers input from a list.
type fakeIO struct {
	mu       sync.Mutex
	out, err bytes.Buffer
	shown    []display.Data
	updated  []display.Data
	cleared  int
	lines    []string // answers of ReadLine; empty: no input is allowed
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (f *fakeIO) Stdout() io.Writer { return lockedWriter{&f.mu, &f.out} }
func (f *fakeIO) Stderr() io.Writer { return lockedWriter{&f.mu, &f.err} }
func (f *fakeIO) Display(d display.Data) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = append(f.shown, d)
	return nil
}
func (f *fakeIO) Update(d display.Data) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updated = append(f.updated, d)
	return nil
}
func (f *fakeIO) ClearOutput(bool) error { f.cleared++; return nil }
func (f *fakeIO) ReadLine(ctx context.Context, prompt string, password bool) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.lines) == 0 {
		return "", kernel.ErrNoStdin
	}
	line := f.lines[0]
	f.lines = f.lines[1:]
	return line, nil
}

func (f *fakeIO) printed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

func (f *fakeIO) take() (out, err string, shown []display.Data) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out, err, shown = f.out.String(), f.err.String(), f.shown
	f.out.Reset()
	f.err.Reset()
	f.shown = nil
	return out, err, shown
}

// onNext tells whether the tests run on the engine of kernel/golang/notebook.
var onNext = os.Getenv("SPHERELAB_ENGINE") == "next"

// either gives what the engine does that the tests run on: gomacro in its words, or the next one as compiled Go.
func either(gomacro, compiled string) string {
	if onNext {
		return compiled
	}
	return gomacro
}

// session is an engine on a goroutine of its own, as the server runs it.
type session struct {
	*Engine
	next  kernel.Engine // that of kernel/golang/notebook, where the environment asks for it
	io    *fakeIO
	work  chan func()
	cells int
	t     testing.TB
}

func start(t testing.TB, o Options) *session {
	t.Helper()
	s := &session{Engine: New(o), io: &fakeIO{}, work: make(chan func()), t: t}
	go func() {
		for f := range s.work {
			f()
		}
	}()
	var err error
	if onNext {
		s.next = nextEngine(t, o)
		s.do(func() { err = s.next.Start(s.io) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			s.do(func() { _ = s.next.Close() })
			close(s.work)
		})
		return s
	}
	s.do(func() { err = s.Engine.Start(s.io) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.do(func() { _ = s.Engine.Close() })
		close(s.work)
	})
	return s
}

func (s *session) engine() kernel.Engine {
	if s.next != nil {
		return s.next
	}
	return s.Engine
}

func (s *session) Interrupt() { s.engine().Interrupt() }

func (s *session) Complete(code string, cursor int) kernel.Completion {
	return s.engine().Complete(code, cursor)
}

func (s *session) Inspect(code string, cursor, detail int) (display.Data, bool) {
	return s.engine().Inspect(code, cursor, detail)
}

func (s *session) IsComplete(code string) (status, indent string) { return s.engine().IsComplete(code) }

// nextEngine makes the engine that is to take this one's place, with the same packages.
func nextEngine(t testing.TB, o Options) kernel.Engine {
	t.Helper()
	sources := bindings.All()
	for path, p := range o.Bindings {
		sources = append(sources, bindings.Source{Path: path, Name: p.Name,
			Table: func() imports.Package { return imports.Package(p) }})
	}
	set := bindings.New(sources...)
	options := notebook.Options{
		Linked: func() (golang.Library, error) { return set.Linked() },
		Render: o.Render, Version: o.Version, Magics: o.Magics, Doc: o.Doc, Words: o.Words,
	}
	for _, i := range o.Prelude {
		options.Prelude = append(options.Prelude, notebook.Import(i))
	}
	return notebook.New(options)
}

// do runs f on the session's goroutine.
func (s *session) do(f func()) {
	done := make(chan struct{})
	s.work <- func() { defer close(done); f() }
	<-done
}

// outcome is all that a cell did.
type outcome struct {
	out, err string
	value    string // text of the value, "" if none
	data     display.Data
	shown    []display.Data
	payload  []map[string]any
	failure  *kernel.CellError
	took     time.Duration
}

func (s *session) runIn(ctx context.Context, code string) outcome {
	s.t.Helper()
	s.cells++
	var o outcome
	begin := time.Now()
	s.do(func() {
		r, err := s.engine().Execute(ctx, kernel.Cell{Code: code, Number: s.cells, StoreHistory: true})
		if err != nil && !errors.As(err, &o.failure) {
			s.t.Errorf("%q: error of type %T: %v", code, err, err)
		}
		o.payload = r.Payload
		if r.HasValue {
			o.data = r.Data
			o.value, _ = r.Data.Data[display.MIMETypeText].(string)
		}
	})
	o.took = time.Since(begin)
	o.out, o.err, o.shown = s.io.take()
	return o
}

func (s *session) run(code string) outcome {
	s.t.Helper()
	return s.runIn(context.Background(), code)
}

// ok runs a cell that must not fail.
func (s *session) ok(code string) outcome {
	s.t.Helper()
	o := s.run(code)
	if o.failure != nil {
		s.t.Fatalf("%s\nfailed: %s", code, strings.Join(o.failure.Traceback, "\n"))
	}
	return o
}

// racesByDesign leaves a test out under the race detector, where it would report gomacro's own ways: its interrupt is a byte that one goroutine sets and
// another one looks at, and running code looks types up in maps that compiling writes (see exclusive). The same test runs without the detector.
func racesByDesign(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("gomacro's interrupt flag and tables of types are not synchronised; the test runs without the race detector")
	}
}
