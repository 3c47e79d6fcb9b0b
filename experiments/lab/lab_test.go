package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestProgram: functions of the package train, log and answer on the opened tracker, and Close ends that.
func TestProgram(t *testing.T) {
	url := trackertest.Database(t)
	var said bytes.Buffer
	o := Options{Tracker: url, Home: t.TempDir(), Progress: &said}
	expect.NoError(t, Open(context.Background(), o))
	if err := Open(context.Background(), o); !errors.Is(err, errIsOpen) {
		t.Errorf("opened twice: %v", err)
	}
	run := Train(Graph("bundled"), Model("sphere-2d").Dim(4).Epochs(3).Name("program"))
	if again := Run("program"); again.Digest() != run.Digest() || again.Info().Params["epochs"] == "0" {
		t.Errorf("the logged run is %s", again)
	}
	if got := run.Info().Tags[answer.TagEntryPoint]; got != "program" {
		t.Errorf("the entry point is %q, tags %v", got, run.Info().Tags)
	}
	var out bytes.Buffer
	show(&out, []any{run.Ask("Max Born", "advised", "?"), nil})
	show(&out, []any{nil})
	show(&out, []any{SQL("select count(*) as n from spherelab.epoch")})
	if text := out.String(); !strings.Contains(text, "Max Born advised ?") || !strings.Contains(text, "3") ||
		strings.Contains(text, "nil") {
		t.Errorf("shown is\n%s", text)
	}
	expect.NoError(t, Close())
	if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[1], "finished") {
		t.Errorf("the progress is %q", lines)
	}
	if opened.session != nil || opened.tracker != nil {
		t.Error("Close keeps the session")
	}
	func() {
		defer func() {
			if e, ok := recover().(*session.Error); !ok || !errors.Is(e, errIsClosed) || opened.tracker != nil {
				t.Errorf("a value of the closed session: %v, tracker %v", e, opened.tracker)
			}
		}()
		run.Info()
		run.Metrics()
		run.Curve()
		run.Ask("Max Born", "advised", "?")
		run.Evaluate()
	}()
}

// TestShownResults: a last error ends the cell, and nil is left out, as in a notebook.
func TestShownResults(t *testing.T) {
	var out bytes.Buffer
	var none *session.Graph
	show(&out, []any{"x", 2, nil})
	show(&out, []any{none})
	show(&out, []any{tracker.Table{Columns: []string{"column"}, Rows: [][]any{{"value"}}}})
	if text := out.String(); !strings.HasPrefix(text, "x 2\n<nil>\n") || !strings.Contains(text, "column") ||
		strings.Contains(text, "[[") {
		t.Errorf("shown is %q", text)
	}
	defer func() {
		if e, ok := recover().(*session.Error); !ok || e.Message != "no such thing" {
			t.Errorf("ended with %v", e)
		}
	}()
	show(&out, []any{1, errors.New("no such thing")})
}

// TestMainEnds: an error of a cell is one message and an exit code, a panic stays one.
func TestMainEnds(t *testing.T) {
	t.Setenv("DATABASE_URL", trackertest.Database(t))
	t.Setenv("SPHERELAB_HOME", t.TempDir())
	for _, c := range []struct {
		program func(context.Context)
		code    int
		says    string
	}{
		{func(context.Context) {}, 0, ""},
		{func(context.Context) { Graph("bundled").Facts("Max Bron") }, 1, "graph bundled has no entity \"Max Bron\"; nearest: \"Max Born\"\n"},
		{func(ctx context.Context) { panic(&session.Error{Name: session.Interrupted, Message: "stopped"}) }, 130, "stopped\n"},
	} {
		var said bytes.Buffer
		if code := runProgram(c.program, &said); code != c.code || said.String() != c.says {
			t.Errorf("exit code %d, it says %q; want %d, %q", code, said.String(), c.code, c.says)
		}
	}
	defer func() {
		if fault := recover(); fault != "a fault" || opened.session != nil {
			t.Errorf("a panic becomes %v, session %v", fault, opened.session)
		}
	}()
	runProgram(func(context.Context) { panic("a fault") }, os.Stderr)
}

// TestScreen: a file gets a line every ten seconds and the last one, a terminal one line that changes.
func TestScreen(t *testing.T) {
	data := func(text string) map[string]any { return map[string]any{"text/plain": text + "\nnote"} }
	for _, c := range []struct {
		isTerminal bool
		want       string
	}{{false, "one\nthree\nfour\n"}, {true, "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Kthree\r\x1b[Kfour\n"}} {
		var out bytes.Buffer
		at := time.Unix(1, 0)
		s := newScreen(context.Background(), &out)
		s.isTerminal, s.now = c.isTerminal, func() time.Time { return at }
		for _, step := range []struct {
			text string
			wait time.Duration
		}{{"one", 0}, {"two", sayEvery - 1}, {"three", 1}, {"four", 1}} {
			at = at.Add(step.wait)
			s.Show("id", data(step.text))
		}
		s.end()
		if out.String() != c.want {
			t.Errorf("terminal %v: %q, want %q", c.isTerminal, out.String(), c.want)
		}
	}
}
