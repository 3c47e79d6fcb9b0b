package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// quietCell counts what is shown, and lets a test look at it.
type quietCell struct {
	ctx context.Context
	mu  sync.Mutex
	ids map[string]int
	see func(text string)
}

func (c *quietCell) Context() context.Context { return c.ctx }

func (c *quietCell) Show(id string, data map[string]interface{}) {
	c.mu.Lock()
	c.ids[id]++
	see := c.see
	c.mu.Unlock()
	if see != nil {
		see(data["text/plain"].(string))
	}
}

func newTestSession(t *testing.T, tr *tracker.Tracker) (*Session, *quietCell) {
	t.Helper()
	c := &quietCell{ctx: context.Background(), ids: map[string]int{}}
	return New(Options{Cell: c, Tracker: func(context.Context) (*tracker.Tracker, error) { return tr, nil },
		Threads: 2}), c
}

// ring writes a file of n entities in a ring with two relations and returns its path.
func ring(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("head,relation,tail\n")
	for i := range n {
		fmt.Fprintf(&b, "e%02d,next,e%02d\ne%02d,second,e%02d\n", i, (i+1)%n, i, (i+2)%n)
	}
	path := filepath.Join(t.TempDir(), "ring.csv")
	expect.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	return path
}

// TestTrainLogsWhatCellsSaid: the logged config is the model's, and everything that finds a run finds it.
func TestTrainLogsWhatCellsSaid(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, cell := newTestSession(t, tr)
	m := s.Model("sphere-2d").Dim(8).Epochs(6).Seed(9).Name("changed").Set("train.learning_rate", 0.02).Set("gamma", 2).
		Set("eval.top_l", []int{1, 2}).Set("eval.bootstrap", 10).Set("tags.purpose", "a test").Set("tracker.experiment",
		"mine").Set("train.save_every", 2)
	run := s.Train(s.Graph(ring(t, 30)), m)
	if len(cell.ids) != 1 {
		t.Errorf("%d displays", len(cell.ids))
	}
	for key, want := range map[string]string{"dimension": "8", "train.epochs": "6", "seed": "9",
		"train.learning_rate": "0.02", "gamma": "2",
		"eval.top_l": "[1, 2]", "data": "ring.csv", "graph": "ring", "graph_digest": run.Graph().KG().Digest(),
		"model": "sphere-2d"} {
		if run.Param(key) != want {
			t.Errorf("param %s is %q, want %q", key, run.Param(key), want)
		}
	}
	info := run.Info()
	if info.Name != "changed" || info.Experiment != "mine" || info.Status != "FINISHED" ||
		info.Tags["purpose"] != "a test" || !strings.HasSuffix(info.Tags["data_source"], "ring.csv") {
		t.Errorf("run %+v", info)
	}
	if got := s.SQL("select run_name, max(epoch) as n from spherelab.epoch group by run_name"); got.Len() != 1 ||
		got.Value(0, "run_name") != "changed" || got.Numbers("n")[0] != 6 {
		t.Errorf("SQL: %s", got)
	}
	// The run's own config gives the same bits in the runner that commands use, also without the graph's file.
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	expect.NoError(t, os.Remove(info.Tags["data_source"]))
	kept := filepath.Join(dir, "graph", "ring.csv")
	cfg, err := runtest.Load(config.Layers{Config: filepath.Join(dir, "config.yaml"),
		Set: []string{"data=" + kept}})
	expect.NoError(t, err)
	again, err := (&experiments.Runner{Tracker: tr}).Train(context.Background(), runtest.Checked(t, cfg))
	expect.NoError(t, err)
	if again.Digest != run.Digest() {
		t.Errorf("trained again: %s, before %s", again.Digest, run.Digest())
	}
	if g := s.Run(run.ID()).Graph().KG(); g.Source != info.Tags["data_source"] ||
		g.Digest() != run.Param("graph_digest") {
		t.Errorf("graph of the run: %s", g.Source)
	}
	if text := run.String(); !strings.Contains(text, "finished") || !strings.Contains(text, "ring") {
		t.Errorf("card: %s", text)
	}
}

// countdown is a context that ends after a number of calls of Err: in the middle of work on any machine.
type countdown struct {
	context.Context
	left atomic.Int64
	end  context.CancelFunc
}

func (c *countdown) Err() error {
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Err()
}

// TestInterruptAndResume: with a file as graph, interrupted in the middle.
func TestInterruptAndResume(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, cell := newTestSession(t, tr)
	g := s.Graph(ring(t, 30))
	m := s.Model("sphere-2d").Dim(8).Epochs(300).Set("eval.every", 10).Set("eval.bootstrap", 0)
	whole := s.Train(g, m.Name("whole"))
	ctx, interrupt := context.WithCancel(context.Background())
	stop := &countdown{Context: ctx, end: interrupt}
	stop.left.Store(75)
	cell.ctx = stop
	e := caught(t, func() { s.Train(g, m.Name("stopped")) })
	cell.ctx = context.Background()
	if e.Name != Interrupted || strings.Contains(e.Message, "after epoch 0 ") ||
		!strings.Contains(e.Message, " (stopped) was interrupted after epoch ") ||
		!strings.Contains(e.Message, "of 300; its state is saved; lab.Resume(") {
		t.Fatalf("%s: %s", e.Name, e.Message)
	}
	if name, trace := e.CellError(); name != Interrupted || trace {
		t.Errorf("the cell shows %s, with a trace: %v", name, trace)
	}
	if status := s.Run("stopped").Status(); status != "KILLED" {
		t.Errorf("status %s", status)
	}
	if name := s.Run("stopped").Graph().Name(); name != g.Name() {
		t.Errorf("the graph of an interrupted run: %s", name)
	}
	if text := s.Run("stopped").Ask("e00", "next", "?").String(); !strings.Contains(text, "was not finished; this is its") {
		t.Errorf("the saved model answers:\n%s", text)
	}
	resumed := s.Resume("last")
	if resumed.Digest() != whole.Digest() || resumed.Name() != "stopped" {
		t.Errorf("resumed %s, whole %s", resumed.Digest(), whole.Digest())
	}
	if e := caught(t, func() { s.Resume("last") }); e.Name != RunNotFinished {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	if rows := s.Compare(whole, resumed).Significance(); rows.Len() < 4 || rows.Numbers("difference")[0] != 0 {
		t.Errorf("runs with the same bits differ: %s", rows)
	}
}

// TestSignificanceByCut: with a cut, the compared values are those that the runs have by this cut.
func TestSignificanceByCut(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	g, m := s.Graph("bundled"), s.Model("sphere-2d").Dim(4).Epochs(4)
	both := s.Compare(s.Train(g, m), s.Train(g, m.Seed(1)))
	value := map[string]float64{}
	for _, cut := range []string{"fitted-novel", "top-10", "top-7", "margin", "top-mean"} {
		rows := both.Significance(cut)
		value[cut] = rows.Numbers("other")[0]
		want, logged := s.Run("last").Info().Metrics["test/"+cut+"/head_f1"]
		if logged != (cut != "top-7") || logged && rows.Numbers("value")[0] != want ||
			!strings.Contains(rows.String(), cut) {
			t.Errorf("%s: logged %v\n%s", cut, want, rows)
		}
	}
	value[""] = both.Significance().Numbers("other")[0]
	if value[""] != value["margin"] || value["top-7"] == value["top-10"] || value["margin"] == value["fitted-novel"] {
		t.Errorf("head F1 by cut: %v", value)
	}
	if title := s.Run("last").Bars().Title; !strings.HasSuffix(title, ", cut sphere") { // other than that of Ask
		t.Errorf("title without the cut: %s", title)
	}
	for _, cuts := range [][]string{{"fitted-nov"}, {""}, {"margin", "top-10"}} {
		if e := caught(t, func() { both.Significance(cuts...) }); e.Name != BadCut {
			t.Errorf("%q: %s: %s", cuts, e.Name, e.Message)
		}
	}
}

// TestSignificanceOfASample: a run with a sample and one without are compared on the sample, and the table says so.
func TestSignificanceOfASample(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	g, m := s.Graph("bundled"), s.Model("sphere-2d").Dim(4).Epochs(2)
	part := s.Train(g, m.Set("eval.sample", 9).Set("eval.fit", false))
	rows := s.Compare(s.Train(g, m.Seed(1).Set("eval.fit", false)), part).Significance()
	if rows.Numbers("value")[0] != part.Info().Metrics["test/head_f1"] ||
		!strings.Contains(rows.String(), "9 head queries and 9 tail queries") {
		t.Errorf("want %v\n%s", part.Info().Metrics["test/head_f1"], rows)
	}
}

// TestOneTraining: neither this kernel nor another program trains a run twice at once.
func TestOneTraining(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	o := tracker.Options{DataDir: t.TempDir()}
	tr := trackertest.OpenWith(t, uri, o)
	s, cell := newTestSession(t, tr)
	g, m := s.Graph("bundled"), s.Model("sphere-2d").Dim(8).Epochs(400).Set("eval.every", 0).Name("busy")
	// Another program: a tracker of its own on the same database and data directory.
	other, _ := newTestSession(t, trackertest.OpenWith(t, uri, o))
	tried := 0
	cell.see = func(text string) {
		if tried > 0 || !strings.Contains(text, "loss") {
			return
		}
		tried++
		for _, c := range []struct {
			do   func()
			word string
		}{
			{func() { s.Train(g, m) }, "of 400, is training in this kernel"},
			{func() { s.Resume("busy") }, "of 400, is training in this kernel"},
			{func() { other.Resume("busy") }, "is being written by"},
		} {
			if e := caught(t, c.do); e.Name != AlreadyTraining || !strings.Contains(e.Message, c.word) {
				t.Errorf("%s: %s", e.Name, e.Message)
			}
		}
		if e := caught(t, func() { other.Run("busy").Ask("Max Born", "advised", "?") }); e.Name != RunNotFinished ||
			!strings.Contains(e.Message, "wait") {
			t.Errorf("%s: %s", e.Name, e.Message)
		}
	}
	if run := s.Train(g, m); run.Status() != "FINISHED" || tried != 1 {
		t.Errorf("status %s, tried %d times", run.Status(), tried)
	}
	if s.Runs().Len() != 1 {
		t.Errorf("runs: %s", s.Runs())
	}
	s.Train(g, m.Name("next").Epochs(1)) // the place is free again
}

// TestSmallGraph: keys that a tiny graph does not allow are adapted and named; keys that cells set stay.
func TestSmallGraph(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, cell := newTestSession(t, tr)
	g := s.Graph(ring(t, 5))
	var last string
	cell.see = func(text string) { last = text }
	run := s.Train(g, s.Model("sphere-2d").Epochs(3))
	for _, word := range []string{"train.negatives = 4: the graph has 5 entities", "eval.final = false",
		"eval.every = 0"} {
		if !strings.Contains(last, word) {
			t.Errorf("the display lacks %q: %s", word, last)
		}
	}
	if run.Param("train.negatives") != "4" || run.Param("eval.final") != "false" {
		t.Errorf("params %v", run.Info().Params)
	}
	for _, c := range []struct {
		m    *Model
		word string
	}{
		{s.Model("sphere-2d").Set("train.negatives", 16), "train.negatives"},
		{s.Model("sphere-2d").Set("eval.final", true), "eval.final"},
		{s.Model("sphere-2d").Set("eval.every", 2), "eval.every"},
	} {
		if e := caught(t, func() { s.Train(g, c.m) }); !strings.Contains(e.Message, c.word) {
			t.Errorf("%s: %s", e.Name, e.Message)
		}
	}
	if e := caught(t, func() { run.PrecisionRecall("next") }); e.Name != BadGraph ||
		!strings.Contains(e.Message, "no test facts") {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	if s.Runs().Len() != 1 {
		t.Errorf("mistakes made runs: %s", s.Runs())
	}
}

// TestDiverged: a training that fails is one error, and says so in the display.
func TestDiverged(t *testing.T) {
	t.Parallel()
	s, cell := newTestSession(t, trackertest.Open(t))
	var last string
	cell.see = func(text string) { last = text }
	e := caught(t, func() {
		// Adam divides by nearly nothing where an entity has no gradient in a step.
		s.Train(s.Graph(ring(t, 60)), s.Model("sphere-2d").Dim(8).Epochs(50).Set("train.batch",
			16).Set("train.learning_rate", 1000).
			Set("train.beta2", 1e-9).Set("train.adam_epsilon", 1e-30))
	})
	if e.Name != TrainingFailed || !strings.Contains(last, "stopped") {
		t.Errorf("%s: %s\n%s", e.Name, e.Message, last)
	}
	if status := s.Run("last").Status(); status != "FAILED" {
		t.Errorf("status %s", status)
	}
}

func TestWithoutTracker(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	for _, do := range []func(){func() { s.Train(s.Graph("bundled"), s.Model("rotate")) }, func() { s.Runs() },
		func() { s.SQL("select 1") }} {
		if e := caught(t, do); e.Name != NoTracker {
			t.Errorf("%s: %s", e.Name, e.Message)
		}
	}
}
