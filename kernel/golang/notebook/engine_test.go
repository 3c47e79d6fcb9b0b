package notebook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// front records what cells print and show.
type front struct {
	mu       sync.Mutex
	out, err bytes.Buffer
	shown    []display.Data
}

type writer struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (f *front) Stdout() io.Writer         { return writer{&f.mu, &f.out} }
func (f *front) Stderr() io.Writer         { return writer{&f.mu, &f.err} }
func (f *front) Update(display.Data) error { return nil }
func (f *front) ClearOutput(bool) error    { return nil }
func (f *front) Display(d display.Data) error {
	f.shown = append(f.shown, d)
	return nil
}
func (f *front) ReadLine(context.Context, string, bool) (string, error) { return "", kernel.ErrNoStdin }

func (f *front) printed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := f.out.String()
	f.out.Reset()
	return text
}

func start(t *testing.T) (*notebook.Engine, *front) {
	t.Helper()
	set := bindings.New(bindings.All()...)
	e := notebook.New(notebook.Options{Linked: func() (cell.Library, error) { return set.Linked() }})
	f := &front{}
	if err := e.Start(f); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, f
}

// TestExecute runs cells of one session: value is the text of a cell's value, out what it printed, fail its error.
func TestExecute(t *testing.T) {
	e, f := start(t)
	for i, c := range []struct{ code, value, out, fail string }{
		{code: "1 + 1", value: "2"},
		{code: "import \"fmt\"\nfmt.Println(\"a\")", out: "a\n"},
		{code: "x := 5\nx", value: "5"},
		{code: "x\ntype T struct{ N int }"},
		{code: "func (t T) HTML() string { return fmt.Sprint(\"<b>\", t.N, \"</b>\") }\nT{3}", value: "{3}"},
		{code: "func f() (int, string, error) { return 1, \"a\", nil }\nf()", value: "1 a"},
		{code: "func g() (int, error) { return 1, fmt.Errorf(\"no %d\", x) }\ng()", fail: "Error: no 5"},
		{code: "y", fail: "CompileError: undefined: y"},
		{code: "z := []int{1}\nz[x]", fail: "Panic: runtime error: index out of range [5] with length 1"},
		{code: "func (t *T) Error() string { panic(\"broken\") }\n&T{}", value: "%!v(PANIC=Error method: broken)"},
		{code: "import \"os\"\nos.Exit(3)",
			fail: "Exit: exit status 3 (the kernel continues; restart it from the menu)"},
		{code: "type In struct{ Stdin int }\nfunc in(os In) int { return os.Stdin }\nin(In{3})", value: "3"},
		{code: "%", fail: "CommandError: unknown command %; %help lists all"},
		{code: "x", value: "5"},
	} {
		r, err := e.Execute(t.Context(), kernel.Cell{Code: c.code, Number: i + 1})
		value, fail := "", ""
		if r.HasValue {
			value, _ = r.Data.Data[display.MIMETypeText].(string)
		}
		var failure *kernel.CellError
		if errors.As(err, &failure) {
			fail = failure.Error()
		}
		if out := f.printed(); value != c.value || out != c.out || fail != c.fail {
			t.Errorf("%s\ngave %q, printed %q, failed with %q; want %q, %q, %q", c.code, value, out, fail, c.value, c.out,
				c.fail)
		}
	}
	show := kernel.Cell{Code: "Display(T{4}, display.Markdown(\"*m*\"))", Number: 99}
	if _, err := e.Execute(t.Context(), show); err != nil {
		t.Fatal(err)
	}
	if len(f.shown) != 2 || f.shown[0].Data["text/html"] != "<b>4</b>" || f.shown[1].Data["text/markdown"] != "*m*" {
		t.Errorf("showed %v", f.shown)
	}
	if got := e.Complete("x + T{}.", 8).Matches; !slices.Equal(got, []string{"Error", "HTML", "N"}) {
		t.Errorf("behind a literal: %v", got)
	}
	if got := e.Complete("fmt.Sprintl", 11).Matches; !slices.Equal(got, []string{"Sprintln"}) {
		t.Errorf("fmt.Sprintl: %v", got)
	}
	if status, indent := e.IsComplete("func f() {"); status != "incomplete" || indent != "\t" {
		t.Errorf("an open function is %s, %q", status, indent)
	}
}

// TestInterrupt ends a cell, and the context that it is given.
func TestInterrupt(t *testing.T) {
	e, _ := start(t)
	for i, code := range []string{
		"for {}", "<-ctx.Done()\nselect {}", "func() error { for ctx.Err() == nil {}; return nil }()",
		"type T struct{}\nfunc (T) String() string { for {} }\nT{}"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, err := e.Execute(ctx, kernel.Cell{Code: code, Number: i + 1})
		var failure *kernel.CellError
		if !errors.As(err, &failure) || failure.Name != "Interrupted" {
			t.Errorf("%s ended with %v", code, err)
		}
	}
}
