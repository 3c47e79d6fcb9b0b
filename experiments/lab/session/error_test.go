package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestInterruptIsNamed: the error of an interrupt has its own name, and names a run that was saved.
func TestInterruptIsNamed(t *testing.T) {
	t.Parallel()
	e := asError(fmt.Errorf("opening: %w", context.Canceled))
	if e.Name != Interrupted || e.Message != "the cell was interrupted" || e.Unwrap() == nil {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	saved := &experiments.InterruptedError{RunID: "0123456789", RunName: "x", Epoch: 3, Epochs: 5}
	if e := asError(fmt.Errorf("%w: %w", saved, context.Canceled)); e.Name != Interrupted ||
		!strings.Contains(e.Message, "epoch 3 of 5") {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	s, cell := newTestSession(t, trackertest.Open(t))
	g, m := s.Graph("bundled"), s.Model("sphere-2d").Dim(2).Epochs(1)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	cell.ctx = ctx
	for what, do := range map[string]func(){"SQL": func() { s.SQL("select 1") }, "Runs": func() { s.Runs() }, "URL": func() { s.URL() },
		"Run":   func() { s.Run("last") },
		"Train": func() { s.Train(g, m) }} {
		if e := caught(t, do); e.Name != Interrupted || e.Message != "the cell was interrupted" {
			t.Errorf("%s: %s: %s", what, e.Name, e.Message)
		}
	}
}

// TestNilIsNamed: what was declared and not set says so, and how to set it.
func TestNilIsNamed(t *testing.T) {
	t.Parallel()
	var g *Graph
	var m *Model
	var r *Run
	for what, do := range map[string]func(){
		"the graph is nil": func() { g.Find("x") },
		"the graph is nil: it was declared and not set; lab.Graph": func() { g.Facts("x") },
		"graph is nil": func() { g.Relations() }, "e graph is nil": func() { g.Name() },
		"the model is nil": func() { m.Dim(3) }, "model is nil": func() { m.Get("seed") },
		"e model is nil": func() { m.Config() },
		"the run is nil": func() { r.Ask("a", "b", "?") }, "run is nil": func() { r.Name() },
		"e run is nil": func() { r.Curve() }, "n is nil": func() { r.Bars() },
		"is nil": func() { r.Model() }, "he run is nil": func() { r.Metric("loss") },
	} {
		if e := caught(t, do); !strings.Contains(e.Message, what) {
			t.Errorf("%q: %s", what, e.Message)
		}
	}
}

// TestHintsAreForCells: an error says what a cell can do about it.
func TestHintsAreForCells(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, _ := newTestSession(t, tr)
	if text := s.Runs().Named("zzz").String(); !strings.Contains(text, "lab.Train(g, m) makes one") {
		t.Errorf("no runs: %s", text)
	}
	if e := caught(t, func() { s.Run("last") }); e.Name != UnknownRun ||
		!strings.HasSuffix(e.Message, "lab.Train(g, m) makes one") {
		t.Errorf("no run: %s: %s", e.Name, e.Message)
	}
	if e := caught(t, func() { s.Table("nothing") }); e.Name != UnknownRun ||
		!strings.Contains(e.Message, "graph nothing") || !strings.HasSuffix(e.Message, "lab.Train(g, m) makes one") {
		t.Errorf("no table: %s: %s", e.Name, e.Message)
	}
	if e := caught(t, func() { s.Table("bundled", "cleen") }); e.Name != BadModel ||
		strings.Contains(e.Message, "--") || !strings.Contains(e.Message, "clean") {
		t.Errorf("no variant: %s: %s", e.Name, e.Message)
	}
	g, m := s.Graph("bundled"), s.Model("sphere-2d").Dim(2).Epochs(1).Name("only")
	s.Train(g, m)
	s.Train(g, m.Variant("released"))
	if text := s.Runs().Named("zzz").String(); !strings.Contains(text, `none of the 2 runs has a name that contains "zzz"`) ||
		strings.Contains(text, "makes one") {
		t.Errorf("no such run: %s", text)
	}
	if e := caught(t, func() { s.Run("onli") }); !strings.Contains(e.Message, "lab.Runs() lists all") ||
		strings.Contains(e.Message, "spherelab") {
		t.Errorf("no such run: %s", e.Message)
	}
	if text := s.Table("bundled").String(); strings.Contains(text, "--") && strings.Contains(text, "--variant") ||
		!strings.Contains(text, `lab.Table(graph, "clean") shows it`) {
		t.Errorf("table: %s", text)
	}
	if _, err := Query(context.Background(), func(context.Context) (*tracker.Tracker, error) { return tr, nil },
		"selct 1"); asError(err).Name != BadSQL {
		t.Errorf("Query: %v", err)
	}
}
