package inductive

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestInitial: a network before training depends on its arguments alone, and its floats fill their bounds.
func TestInitial(t *testing.T) {
	t.Parallel()
	one, err := Initial(32, 3, 5)
	expect.NoError(t, err)
	same, err := Initial(32, 3, 5)
	expect.NoError(t, err)
	other, err := Initial(32, 3, 6)
	expect.NoError(t, err)
	if one.Digest() != same.Digest() || one.Digest() == other.Digest() {
		t.Errorf("digests %s, %s, and of another seed %s", one.Digest(), same.Digest(), other.Digest())
	}
	if len(one.relation) != 3 || len(one.entity) != 3 || one.Width() != 32 {
		t.Errorf("%d and %d layers of width %d", len(one.relation), len(one.entity), one.Width())
	}
	for name, c := range map[string]struct {
		x     []float32
		bound float64
	}{
		"own": {one.entity[2].own, 1 / math.Sqrt(64)}, "sum": {one.relation[1].sum, 1 / math.Sqrt(64)},
		"first": {one.entity[0].first, 1 / math.Sqrt(32)}, "meeting": {one.relation[2].meeting, math.Sqrt(3)},
		"last": {one.last, 1 / math.Sqrt(64)}, "query": {one.firstQuery, 1 / math.Sqrt(64)},
	} {
		low, high := float64(slices.Min(c.x))/c.bound, float64(slices.Max(c.x))/c.bound
		if low < -1 || low > -.7 || high > 1 || high < .7 {
			t.Errorf("%s lies between %g and %g of its bound", name, low, high)
		}
	}
	if g := one.entity[1].gain; slices.Min(g) != 1 || slices.Max(g) != 1 || slices.Max(one.entity[1].shift) != 0 {
		t.Error("rows are not normalized to mean 0 and variance 1 at first")
	}
	for _, c := range [][2]int{{0, 3}, {24, 3}, {1 << 13, 3}, {32, 0}, {32, 65}} {
		if _, err := Initial(c[0], c[1], 1); err == nil || !strings.Contains(err.Error(), "no network has width") {
			t.Errorf("width %d, %d layers: %v", c[0], c[1], err)
		}
	}
}

// TestTuningOnGraphs: steps take all graphs, and a tuner that continues has the bits of one that never stopped.
func TestTuningOnGraphs(t *testing.T) {
	t.Parallel()
	graphs := []*kg.Graph{graphOf(t, 43, 19, 4, 60, 0), graphOf(t, 47, 31, 2, 40, 0), graphOf(t, 53, 9, 3, 30, 0)}
	make := func(graphs []*kg.Graph, slow int) *Tuner {
		n, err := Initial(16, 2, 3)
		expect.NoError(t, err)
		tuner, err := n.newTuner(graphs, Inverse, Tuning{Batch: 6, Together: 3, Negatives: 5, Temperature: .7,
			LearningRate: .01, Slow: slow, Decay: .02, Seed: 3}, "go")
		expect.NoError(t, err)
		return tuner
	}
	whole, first, second := make(graphs, 4), make(graphs, 4), make(graphs, 4)
	taken := map[*place]int{}
	for step := range 60 {
		whole.step = step
		taken[whole.place()]++
	}
	if len(taken) != 3 || slices.Min(slices.Collect(maps.Values(taken))) < 10 {
		t.Errorf("60 steps take the graphs %v times", taken)
	}
	whole.step = 0
	want := stepped(t, whole, 8)
	stepped(t, first, 3)
	state, err := first.State()
	expect.NoError(t, err)
	expect.NoError(t, second.Restore(state))
	if got := stepped(t, second, 5); !slices.Equal(got, want[3:]) || digestOf(t, second) != digestOf(t, whole) {
		t.Errorf("losses %v, want %v", got, want[3:])
	}
	if constant := make(graphs, 0); slices.Equal(stepped(t, constant, 3), want[:3]) {
		t.Error("a learning rate that does not fall has the same losses")
	}
	if err := make([]*kg.Graph{graphs[0], graphs[2], graphs[1]}, 4).Restore(state); err == nil {
		t.Error("a state of the graphs in another order is taken")
	}
	if _, err := second.now.newTuner(nil, Inverse, second.settings, "go"); err == nil {
		t.Error("a tuner without a graph is made")
	}
}

// TestTogether: positives in a row share relation and side, and are facts; rows differ.
func TestTogether(t *testing.T) {
	t.Parallel()
	tuner := exampleTuner(t, randomTensors(71, 16, 1, 1), Inverse, "go", 12)
	tuner.settings.Together = 4
	asked := map[int32]bool{}
	for step := range 5 {
		tuner.step = step
		at := tuner.place()
		examples := tuner.examples(at)
		for i, e := range examples {
			first := examples[i/4*4]
			if e.of != first.of || e.positive.Relation != first.positive.Relation ||
				!slices.Contains(at.graph.Train, e.positive) {
				t.Errorf("step %d: example %d is %+v next to %+v", step, i, e, first)
			}
			asked[e.of] = true
		}
		if examples[0].of == examples[4].of {
			t.Errorf("step %d: the first eight examples ask for one kind", step)
		}
	}
	if len(asked) < 4 {
		t.Errorf("five steps ask for %d kinds", len(asked))
	}
}

// TestRate: the learning rate has fallen by half after Slow steps.
func TestRate(t *testing.T) {
	t.Parallel()
	s := Tuning{LearningRate: .5, Slow: 40}
	if s.rate(0) != .5 || s.rate(40) != .25 || (Tuning{LearningRate: .5}).rate(40) != .5 {
		t.Errorf("rates %g, %g, constant %g", s.rate(0), s.rate(40), Tuning{LearningRate: .5}.rate(40))
	}
}
