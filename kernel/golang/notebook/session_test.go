package notebook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/cell"
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
	bound    int      // cells
	order    []string // what was written, as "out of cell 1: text"
}

type lockedWriter struct {
	*fakeIO
	b    *bytes.Buffer
	name string
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.order = append(w.order, w.name+": "+string(p))
	return w.b.Write(p)
}

func (f *fakeIO) Stdout() io.Writer { return lockedWriter{f, &f.out, "out"} }
func (f *fakeIO) Stderr() io.Writer { return lockedWriter{f, &f.err, "err"} }
func (f *fakeIO) Bind() kernel.IO {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bound++
	return boundIO{f, f.bound}
}

// boundIO is that of one cell.
type boundIO struct {
	*fakeIO
	cell int
}

func (b boundIO) Stdout() io.Writer {
	return lockedWriter{b.fakeIO, &b.out, fmt.Sprintf("out of cell %d", b.cell)}
}

func (b boundIO) Stderr() io.Writer {
	return lockedWriter{b.fakeIO, &b.err, fmt.Sprintf("err of cell %d", b.cell)}
}

func (b boundIO) Display(d display.Data) error {
	b.mu.Lock()
	b.order = append(b.order, fmt.Sprintf("shown of cell %d", b.cell))
	b.mu.Unlock()
	return b.fakeIO.Display(d)
}
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

func (f *fakeIO) complaint() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err.String()
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

// session is an engine on a goroutine of its own, as the server runs it.
type session struct {
	*notebook.Engine
	io    *fakeIO
	work  chan func()
	cells int
	t     testing.TB
}

func start(t testing.TB, o notebook.Options) *session {
	t.Helper()
	if o.Linked == nil {
		o.Linked = linked()
	}
	s := &session{Engine: notebook.New(o), io: &fakeIO{}, work: make(chan func()), t: t}
	go func() {
		for f := range s.work {
			f()
		}
	}()
	var err error
	s.do(func() { err = s.Start(s.io) })
	expect.NoError(t, err)
	t.Cleanup(func() {
		s.do(func() { _ = s.Close() })
		close(s.work)
	})
	return s
}

// linked are the packages of the program, and further ones.
func linked(more ...bindings.Source) func() (cell.Library, error) {
	set := bindings.New(append(bindings.All(), more...)...)
	return func() (cell.Library, error) { return set.Linked() }
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
		r, err := s.Execute(ctx, kernel.Cell{Code: code, Number: s.cells, StoreHistory: true})
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
