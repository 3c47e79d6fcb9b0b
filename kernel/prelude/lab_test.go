package prelude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// watching is a front end that keeps what is displayed.
type watching struct {
	silent
	mu       sync.Mutex
	displays []display.Data
	updates  []display.Data
	each     func(display.Data) // called for every display and update; may be nil
}

func (w *watching) Bind() kernel.IO              { return w }
func (w *watching) Display(d display.Data) error { return w.add(&w.displays, d) }
func (w *watching) Update(d display.Data) error  { return w.add(&w.updates, d) }

func (w *watching) add(list *[]display.Data, d display.Data) error {
	w.mu.Lock()
	*list = append(*list, d)
	each := w.each
	w.mu.Unlock()
	if each != nil {
		each(d)
	}
	return nil
}

// cells are a notebook on a tracker of its own.
type cells struct {
	t       *testing.T
	engine  *withLab
	io      *watching
	tracker *tracker.Tracker
	number  int
}

func newSession(t *testing.T) *cells {
	t.Helper()
	t.Chdir(t.TempDir())
	s := &cells{t: t, io: &watching{}, tracker: trackertest.Open(t)}
	d := &database{open: func(context.Context) (*tracker.Tracker, error) { return s.tracker, nil }}
	s.engine = engine(Options{Tracker: d.open}, d)
	expect.NoError(t, s.engine.Start(s.io))
	t.Cleanup(func() { s.engine.Close() })
	return s
}

// run runs a cell and gives its value.
func (s *cells) run(ctx context.Context, code string) (display.Data, error) {
	s.number++
	r, err := s.engine.Execute(ctx, kernel.Cell{Code: code, Number: s.number})
	return r.Data, err
}

// cell runs a cell that must not fail and gives its value as text and as HTML.
func (s *cells) cell(code string) (text, html string) {
	s.t.Helper()
	d, err := s.run(context.Background(), code)
	if err != nil {
		s.t.Fatalf("%s\n%v", code, err)
	}
	text, _ = d.Data[display.MIMETypeText].(string)
	html, _ = d.Data[display.MIMETypeHTML].(string)
	return text, html
}

// fails runs a cell that must fail with one clear error.
func (s *cells) fails(code, name string, words ...string) {
	s.t.Helper()
	_, err := s.run(context.Background(), code)
	var e *kernel.CellError
	if !errors.As(err, &e) {
		s.t.Fatalf("%s\ndoes not fail: %v", code, err)
	}
	if e.Name != name {
		s.t.Errorf("%s\nfails as %s, want %s", code, e.Name, name)
	}
	for _, word := range words {
		if !strings.Contains(e.Value, word) {
			s.t.Errorf("%s\nthe message lacks %q: %s", code, word, e.Value)
		}
	}
	if trace := strings.Join(e.Traceback, "\n"); strings.Contains(trace, ".go:") ||
		strings.Contains(trace, "goroutine ") {
		s.t.Errorf("%s\nthe traceback is Go's: %s", code, trace)
	}
}

// labValues are cells about a run of 20 epochs of graph g with model m, and what their values contain.
var labValues = [][2]string{
	{`run`, "finished"},
	{`g.Find("born")`, "Max Born"},
	{`g.Facts("Max Born")`, "advised"},
	{`g.Facts("advised").Len() > 10`, "true"},
	{`g.Relations()`, "n-1"},
	{`g.Name()`, "bundled"},
	{`len(g.KG().Train) > 100`, "true"},
	{`m.Get("train.epochs")`, "20"},
	{`m.Config().Dimension`, "16"},
	{`m.Variant("released")`, "variant released"},
	{`run.Name()`, "cells"},
	{`run.Status()`, "FINISHED"},
	{`len(run.ID())`, "32"},
	{`len(run.Digest())`, "64"},
	{`run.Param("train.learning_rate")`, "0.02"},
	{`run.Metric("loss") > 0`, "true"},
	{`len(run.Metrics()) > 10`, "true"},
	{`run.Info().Experiment`, "bundled"},
	{`lab.Run("last").Digest() == run.Digest()`, "true"},
	{`lab.Run("cells").ID() == run.ID()`, "true"},
	{`lab.Runs()`, "cells"},
	{`lab.Runs().Len()`, "1"},
	{`lab.Runs().At(0).Name()`, "cells"},
	{`lab.Runs().Named("nothing").Len()`, "0"},
	{`run.Graph().Name()`, "bundled"},
	{`run.Model()`, "SpherE-2D, variant clean, dimension 16"},
	{`report := run.Evaluate(); report`, "sphere"},
	{`report.Metric("head_f1") == run.Metric("test/head_f1")`, "true"},
	{`report.Relations()`, "head F1"},
	{`a := run.Ask("Max Born", "advised", "?"); a`, "Max Born advised ?: "},
	{`run.Ask("?", "advised", "Max Born")`, "? advised Max Born: "},
	{`x := run.Explain("Max Born", "advised", "Pascual Jordan"); x`, "Max Born advised Pascual Jordan"},
	{`x.Holds() == a.Has("Pascual Jordan")`, "true"},
	{`x.Mark`, "held out"},
	{`b := run.Ask("Arnold Sommerfeld", "advised", "?"); b.Len() >= 0`, "true"},
	{`a.And(b).Len() + a.Minus(b).Len() == a.Or(a).Len()`, "true"},
	{`a.Or(b).Len() == a.Or(a).Len() + b.Or(b).Len() - a.And(b).Len()`, "true"},
	{`a.Then("advised")`, "then advised ?"},
	{`a.Before("advised")`, "? advised (Max Born advised ?)"},
	{`run.Expression("Max Born > advised > advised").Len() == a.Then("advised").Len()`, "true"},
	{`all := run.AskAll([][]string{{"Max Born", "advised", "?"}, {"Max Born", "?", "Pascual Jordan"}}); all`, "Max Born ? Pascual"},
	{`all.Rows().Len() == a.Len() + run.Between("Max Born", "Pascual Jordan").Len()`, "true"},
	{`run.Slack(1).Ask("Max Born", "advised", "?").Novel().Len() == a.At(1).Novel().Len()`, "true"},
	{`run.Predict("advised", 5)`, "left out: pairs"},
	{`a.Top(2)`, "the best 2 of"},
	{`a.At(0).Novel().Len() == a.Novel().Len()`, "true"},
	{`a.At(-1).Len() >= a.Len()`, "true"},
	{`a.Known().Len() + a.Novel().Len() == a.Len()`, "true"},
	{`a.HeldOut().Len() + a.Inferred().Len() == a.Novel().Len()`, "true"},
	{`len(a.Names()) == a.Len()`, "true"},
	{`a.Score("Pascual Jordan") >= 0 == a.Has("Pascual Jordan")`, "true"},
	{`a.Rows()`, "score"},
	{`lab.SQL("select count(*) as n from spherelab.epoch").Numbers("n")[0]`, "20"},
	{`tracker.SQL("select epoch, loss from spherelab.epoch order by epoch").Len()`, "20"},
	{`rows := lab.SQL("select 'x' as s, 1 as n"); rows.Strings("s")[0]`, "x"},
	{`rows.Value(0, "n")`, "1"},
	{`rows.Columns()`, "[s n]"},
	{`lab.Table("bundled")`, "SpherE-2D"},
	{"%%sql\nselect count(*) as epochs from spherelab.epoch", "20"},
}

// TestLabCells goes through all of package lab in cells.
func TestLabCells(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled", "split.seed=1")`)
	if text, html := s.cell(`g`); !strings.Contains(text, "graph bundled: ") || !strings.Contains(html, "train") {
		t.Errorf("graph: %s\n%s", text, html)
	}
	s.cell(`m := lab.Model("sphere-2d").Dim(16).Epochs(20).Seed(3).Name("cells").Set("train.learning_rate", 0.02).Set("eval.every", 5)`)
	if text, html := s.cell(`m`); !strings.Contains(text, "was 50") || !strings.Contains(html, "train.learning_rate") {
		t.Errorf("model: %s\n%s", text, html)
	}
	s.cell(`run := lab.Train(g, m)`)
	if n := len(s.io.displays); n != 1 {
		t.Errorf("%d displays of one training", n)
	}
	for _, c := range labValues {
		if text, _ := s.cell(c[0]); !strings.Contains(text, c[1]) {
			t.Errorf("%s returns %q, want %q", c[0], text, c[1])
		}
	}
	s.cell(`other := lab.Train(run.Graph(), run.Model().Seed(4).Name("other"))`)
	for _, c := range [][2]string{
		{`lab.Compare(run, other)`, "seed"},
		{`lab.Compare(run, other).Significance()`, "head_f1"},
		{`run.Curve()`, "loss"},
		{`lab.Runs().Curves()`, "2 seeds"},
		{`run.Radii()`, "rank correlation"},
		{`run.Bars()`, "advised"},
		{`run.PrecisionRecall("advised")`, "precision"},
		{`run.PrecisionRecall("")`, "all relations"},
		{`circles := lab.Train(g, lab.Model("sphere-2d").Dim(1).Epochs(5).Set("gamma", 1)); circles.Circles("Max Born", "advised")`, "advised"},
		{`chart.Line(chart.Options{Title: "mine"}, chart.Series{Name: "y", Y: []float64{1, 2, 4}})`, "mine"},
	} {
		if text, _ := s.cell(c[0]); !strings.Contains(text, c[1]) {
			t.Errorf("%s returns %q, want %q", c[0], text, c[1])
		}
	}
	for _, c := range []string{`rows.Write("rows.csv")`, `lab.Table("bundled").Write("table.tex")`,
		`lab.Compare(run, other).Write("compare.md")`,
		`report.Write("report.html")`, `run.Curve().WriteFile("curve.svg")`,
		`curve := run.Curve(); curve.Title = "mine"; curve.Width = 800; curve.Write("curve.png")`,
		`chart.Stack(chart.Options{}, curve.Chart, run.Bars().Chart)`} {
		s.cell(c)
	}
	if raw, err := os.ReadFile("rows.csv"); err != nil || string(raw) != "s,n\nx,1\n" {
		t.Errorf("rows.csv: %q, %v", raw, err)
	}
}

// TestLabTypes: a type and a function of one name are both there, and documented.
func TestLabTypes(t *testing.T) {
	s := newSession(t)
	s.cell(`var g *lab.Graph; var list []*lab.Run; func size(s *lab.Set) int { return s.Len() }`)
	s.cell(`g = lab.Graph("bundled")`)
	for word, want := range map[string]string{"lab.Train": "func Train(g *Graph, m *Model) *Run",
		"lab.Graph": "func Graph(name string, keys ...string) *Graph",
		"g.Facts":   "Facts lists", "tracker.SQL": "tracker.SQL(", "lab.Compare": "Compare shows runs"} {
		d, ok := s.engine.Inspect(word, len(word), 0)
		if text, _ := d.Data[display.MIMETypeText].(string); !ok || !strings.Contains(text, want) {
			t.Errorf("documentation of %s lacks %q: %s", word, want, text)
		}
	}
	for _, match := range s.engine.Complete("lab.", 4).Matches {
		for _, name := range notOfCells {
			if strings.HasSuffix(match, "."+name) || match == name {
				t.Errorf("cells are offered %s", match)
			}
		}
	}
}

// TestLabErrors: a mistake in a cell is one clear error, and the kernel continues.
func TestLabErrors(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(4).Epochs(2); run := lab.Train(g, m)`)
	s.cell(`other := lab.Train(g, m.Seed(2)); a := run.Ask("Max Born", "advised", "?"); b := other.Ask("Max Born", "advised", "?")`)
	expect.NoError(t, os.WriteFile("broken.csv", []byte("head,relation,tail\na,likes,b\na,likes\n"), 0o644))
	s.fails(`lab.Graph("bundles")`, "UnknownGraph", `did you mean "bundled"?`, "spherelab data get")
	s.fails(`lab.Graph("missing.csv")`, "UnknownGraph", "missing.csv")
	s.fails(`lab.Graph("broken.csv")`, "BadGraph", "broken.csv:3:", "2 columns")
	s.fails(`lab.Model("sphere2d")`, "BadModel", `did you mean "sphere-2d"?`)
	s.fails(`m.Set("train.epoch", 3)`, "BadModel", "did you mean train.epochs?")
	s.fails(`m.Epochs(0)`, "BadModel", "must be a number from 1")
	s.fails(`m.Set("data", "umls")`, "BadModel", "lab.Train")
	s.fails(`lab.Train(nil, m)`, "UnknownGraph")
	s.fails(`lab.Train(g, nil)`, "BadModel")
	s.fails(`lab.Train(g, m.Set("train.negatives", 100000))`, "BadModel", "entities")
	s.fails(`run.Ask("Max Bron", "advised", "?")`, "UnknownEntity", `"Max Born"`)
	s.fails(`run.Ask("Max Born", "advise", "?")`, "UnknownRelation", `"advised"`)
	s.fails(`run.Ask("Max Born", "advised", "Pascual Jordan")`, "BadQuestion")
	s.fails(`run.Explain("Max Born", "advised", "Pascual Jordn")`, "UnknownEntity", `"Pascual Jordan"`)
	s.fails(`a.Then("advise")`, "UnknownRelation")
	s.fails(`a.And(b)`, "SetMismatch", "different runs")
	s.fails(`a.Has("nobody at all")`, "UnknownEntity")
	s.fails(`run.Circles("Max Born", "advised")`, "NotDrawn", "dimension 1")
	s.fails(`run.Explore("Max Born", "advised")`, "BadQuestion", "takes an entity or a question")
	s.fails(`lab.Run("nothing like it")`, "UnknownRun")
	s.fails(`lab.Resume("last")`, "RunNotFinished", "finished")
	s.fails(`lab.SQL("select nothing from spherelab.epoch")`, "BadSQL", "line 1, column 8")
	s.fails("%%sql\nselect run_id,\n  nothing from epoch", "BadSQL", "line 2, column 3",
		"\n    nothing from epoch\n    ^")
	s.fails(`lab.SQL("delete from public.runs")`, "BadSQL", "only read")
	s.fails(`run.Curve().WriteFile("c.jpg"); 1`, "Error", "must end in .svg, .pdf, .png or .txt")
	s.fails(`run.Curve().Write("c.jpg")`, "Error", "must end in .svg, .pdf, .png or .txt")
	for code, want := range map[string]string{`lab.Graph(5)`: "cannot use 5 (untyped int constant) as string value in argument to lab.Graph",
		`m.Dim(4).Name(7)`: "cannot use 7 (untyped int constant) as string value in argument to m.Dim(4).Name"} {
		if _, err := s.run(context.Background(), code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
	s.fails(`local := lab.Model("sphere-2d"); local.Name("\x05")`, "BadModel", "control character")
	s.fails("%%sql\nselct 1", "BadSQL", "line 1")
	s.fails(`var unset *lab.Graph; unset.Find("x")`, "Error", "the graph is nil")
	for _, kind := range []string{"Run", "Graph", "Set", "Model", "Rows"} {
		if text, html := s.cell("var no" + kind + " *lab." + kind + "; no" + kind); text != "<nil>" || html != "" {
			t.Errorf("a nil %s is shown as %q, %q", kind, text, html)
		}
	}
	s.fails(`lab.Compare(run)`, "UnknownRun")
	if text, _ := s.cell(`lab.Runs().Len()`); text != "2" {
		t.Errorf("after the errors there are %s runs", text)
	}
	runs, err := s.tracker.Runs(context.Background(), tracker.Filter{})
	expect.NoError(t, err)
	for _, r := range runs {
		if r.Status != string(tracker.Finished) {
			t.Errorf("run %s is %s", r.Name, r.Status)
		}
	}
}

// TestLabInterrupt: an interrupted cell says how to resume, and the resumed run has the same bits as an uninterrupted
// one.
func TestLabInterrupt(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(32).Epochs(60)`)
	whole, _ := s.cell(`lab.Train(g, m.Name("whole")).Digest()`)
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	s.io.each = func(d display.Data) {
		if text, _ := d.Data[display.MIMETypeText].(string); strings.Contains(text, "loss") {
			interrupt()
			s.engine.Interrupt()
		}
	}
	_, err := s.run(ctx, `run := lab.Train(g, m.Name("stopped"))`)
	s.io.each = nil
	var e *kernel.CellError
	if !errors.As(err, &e) || e.Name != "Interrupted" ||
		!strings.Contains(e.Value, "of 60; its state is saved; lab.Resume(") {
		t.Fatalf("interrupt: %v", err)
	}
	last := s.io.updates[len(s.io.updates)-1]
	if text, _ := last.Data[display.MIMETypeText].(string); !strings.Contains(text, "interrupted") {
		t.Errorf("the display says: %s", text)
	}
	if text, _ := s.cell(`lab.Run("stopped").Ask("Max Born", "advised", "?").String()`); !strings.Contains(text, "was not finished") {
		t.Errorf("the saved model answers: %s", text)
	}
	if resumed, _ := s.cell(`run := lab.Resume("last"); run.Digest()`); resumed != whole {
		t.Errorf("resumed %s, whole %s", resumed, whole)
	}
}

// TestLabTwice: of two trainings at once the second is refused and the first continues.
func TestLabTwice(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(32).Epochs(40)`)
	started, once := make(chan struct{}), sync.Once{}
	s.io.each = func(display.Data) { once.Do(func() { close(started) }) }
	s.cell(`done := make(chan *lab.Run, 1); go func() { done <- lab.Train(g, m.Name("first")) }()`)
	select {
	case <-started:
	case <-time.After(time.Minute):
		t.Fatal("the training does not start")
	}
	s.fails(`lab.Train(g, m.Name("second"))`, "AlreadyTraining", "first")
	s.fails(`lab.Resume("first")`, "AlreadyTraining", "first")
	if text, _ := s.cell(`first := <-done; first.Status()`); text != "FINISHED" {
		t.Errorf("the first run is %s", text)
	}
	if text, _ := s.cell(`lab.Runs().Len()`); text != "1" {
		t.Errorf("%s runs", text)
	}
}

// TestLabFile: from a file of ten lines to answers, and the run keeps the file.
func TestLabFile(t *testing.T) {
	s := newSession(t)
	var lines strings.Builder
	lines.WriteString("head,relation,tail\n")
	for i := range 10 {
		fmt.Fprintf(&lines, "\"n, %d\",next,\"n, %d\"\n", i, (i+1)%10)
	}
	path := filepath.Join(t.TempDir(), "ring.csv")
	expect.NoError(t, os.WriteFile(path, []byte(lines.String()), 0o644))
	s.cell(fmt.Sprintf(`g := lab.Graph(%q); run := lab.Train(g, lab.Model("sphere-2d").Dim(8).Epochs(200).Set("train.learning_rate", 0.02).Set("gamma", 2))`, path))
	if text, _ := s.cell(`g`); !strings.Contains(text, "all 10 triples are for training") {
		t.Errorf("graph: %s", text)
	}
	expect.NoError(t, os.WriteFile(path, []byte("a,b,c\n"), 0o644))
	if text, _ := s.cell(`lab.Run("last").Graph()`); !strings.Contains(text, "10 facts") {
		t.Errorf("the run's graph: %s", text)
	}
	text, _ := s.cell(`run.Ask("n, 3", "next", "?")`)
	if !strings.Contains(text, "n, 4") {
		t.Errorf("answers: %s", text)
	}
	s.fails(`run.Evaluate()`, "BadGraph", "no test facts")
}

// TestLabInterruptedQuery: a query that is interrupted says so in plain words, in either form.
func TestLabInterruptedQuery(t *testing.T) {
	s := newSession(t)
	s.cell(`lab.SQL("select 1")`)
	for _, code := range []string{"%%sql\nselect pg_sleep(100)", `lab.SQL("select pg_sleep(100)")`} {
		ctx, interrupt := context.WithCancel(context.Background())
		timer := time.AfterFunc(200*time.Millisecond, interrupt)
		_, err := s.run(ctx, code)
		timer.Stop()
		interrupt()
		var e *kernel.CellError
		if !errors.As(err, &e) || e.Name != "Interrupted" || !strings.HasPrefix(e.Value, "the cell was interrupted") ||
			strings.Contains(e.Value, "context canceled") {
			t.Errorf("%s: %v", code, err)
		}
	}
}
