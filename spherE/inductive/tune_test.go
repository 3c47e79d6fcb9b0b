package inductive

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// stepped makes steps and returns the losses.
func stepped(t *testing.T, tuner *Tuner, steps int) (losses []float64) {
	t.Helper()
	for range steps {
		loss, err := tuner.Step(t.Context())
		expect.NoError(t, err)
		losses = append(losses, loss)
	}
	return losses
}

func digestOf(t *testing.T, tuner *Tuner) string {
	t.Helper()
	n, err := tuner.Network()
	expect.NoError(t, err)
	return n.Digest()
}

// TestTuningSameBits tunes on every path and with one thread and several: the bits do not change.
func TestTuningSameBits(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(53, 32, 2, 3)
	plain := exampleTuner(t, tensors, Direct, "go", 7)
	want := stepped(t, plain, 3)
	simdtest.Each(t, true, func(path string) (string, error) {
		k, err := simd.Select(path)
		if err != nil {
			return "", err
		}
		return k.Name, nil
	}, func(t *testing.T, path string) {
		for _, threads := range []int{1, 3} {
			tuner := exampleTuner(t, tensors, Direct, path, 7)
			tuner.settings.Threads = threads
			if got := stepped(t, tuner, 3); !slices.Equal(got, want) || digestOf(t, tuner) != digestOf(t, plain) {
				t.Errorf("threads %d: losses %v, want %v", threads, got, want)
			}
		}
	})
}

// TestTuningResumes: a tuner that continues from a state has the bits of one that never stopped.
func TestTuningResumes(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(59, 16, 2, 2)
	whole, first := exampleTuner(t, tensors, Inverse, "go", 4), exampleTuner(t, tensors, Inverse, "go", 4)
	want := stepped(t, whole, 9)
	stepped(t, first, 4)
	state, err := first.State()
	expect.NoError(t, err)
	second := exampleTuner(t, tensors, Inverse, "go", 4)
	second.settings.Threads = 2
	expect.NoError(t, second.Restore(state))
	if got := stepped(t, second, 5); !slices.Equal(got, want[4:]) || digestOf(t, second) != digestOf(t, whole) {
		t.Errorf("losses %v, want %v", got, want[4:])
	}
	for name, wrong := range map[string]*Tuner{"batch": exampleTuner(t, tensors, Inverse, "go", 5),
		"heads": exampleTuner(t, tensors, Direct, "go", 4),
		"shape": exampleTuner(t, randomTensors(59, 16, 2, 3), Inverse, "go", 4)} {
		if err := wrong.Restore(state); err == nil {
			t.Errorf("%s: a state of others is taken", name)
		}
	}
	if err := second.Restore(state[:len(state)/2]); err == nil {
		t.Error("a cut state is taken")
	}
}

// TestTuningStops: an interrupted step changes nothing.
func TestTuningStops(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(61, 16, 1, 1)
	tuner := exampleTuner(t, tensors, Inverse, "go", 4)
	before := digestOf(t, tuner)
	if before != networkOf(t, tensors).Digest() {
		t.Error("a tuner changes the weights before its first step")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tuner.Step(ctx); !errors.Is(err, context.Canceled) || tuner.Done() != 0 ||
		digestOf(t, tuner) != before {
		t.Errorf("%d steps, %v", tuner.Done(), err)
	}
}

// TestTuningLearns: the loss falls, and another seed makes other weights.
func TestTuningLearns(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(67, 16, 2, 2)
	tuner := exampleTuner(t, tensors, Inverse, "go", 8)
	losses := stepped(t, tuner, 60)
	mean := func(x []float64) (sum float64) {
		for _, y := range x {
			sum += y / float64(len(x))
		}
		return sum
	}
	if first, last := mean(losses[:10]), mean(losses[50:]); last > .9*first {
		t.Errorf("the loss is %g, and was %g", last, first)
	}
}

// TestExamples: positives are all facts in turn, on alternate sides, and no negative is a known answer.
func TestExamples(t *testing.T) {
	t.Parallel()
	tuner := exampleTuner(t, randomTensors(71, 16, 1, 1), Inverse, "go", 10)
	tuner.settings.Batch = 1
	for step, side := range []kg.Side{kg.TailSide, kg.HeadSide, kg.TailSide} {
		tuner.step = step
		if e := tuner.examples(tuner.place())[0]; e.known != e.positive.Query(side).Known {
			t.Errorf("step %d of one fact does not ask for %ss", step, side)
		}
	}
	tuner.settings.Batch = 10
	facts, at := map[kg.Triple]int{}, tuner.places[0]
	for step := range 6 {
		tuner.step = step
		for i, e := range tuner.examples(tuner.place()) {
			facts[e.positive]++
			q := e.positive.Query([]kg.Side{kg.TailSide, kg.HeadSide}[i%2])
			if q.Known != e.known || q.Triple(e.answer) != e.positive || len(e.negatives) != 5 {
				t.Errorf("%+v", e)
			}
			for _, n := range e.negatives {
				if slices.Contains(at.known.Answers(q), n) || int(n) >= at.graph.Entities.Len() {
					t.Errorf("%d is a known answer, or no entity, of %+v", n, e)
				}
			}
		}
	}
	if len(facts) != len(tuner.places[0].graph.Train) || slices.Max(slices.Collect(maps.Values(facts))) != 1 {
		t.Errorf("%d of %d facts: %v", len(facts), len(tuner.places[0].graph.Train), facts)
	}
}

// TestHeads: heads are asked for in the three ways, equal to the network in float64; tails do not change.
func TestHeads(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(73, 16, 2, 2)
	g := graphOf(t, 79, 17, 4, 50, 0)
	m, err := networkOf(t, tensors).On("random", g)
	expect.NoError(t, err)
	ref := &reference{tensors: tensors, width: 16}
	queries := queriesOf(g, 8)
	for _, h := range AllHeads() {
		for i, scores := range scoresOf(t, m.WithHeads(h), queries, 1) {
			one := func(h Heads) []float64 {
				return ref.scoresBy(g.Entities.Len(), g.Relations.Len(), g.Train, g.Train, queries[i], h)
			}
			first, second := one(Inverse), one(Direct)
			for e, x := range scores {
				want := map[Heads]float64{Inverse: first[e], Direct: second[e], Both: (first[e] + second[e]) / 2}[h]
				if d := float64(x) - want; d > 1e-4*(1+want*want) || -d > 1e-4*(1+want*want) {
					t.Fatalf("%s, %v: score of %d is %g, want %g", h, queries[i], e, x, want)
				}
			}
		}
	}
}

// TestTuningRefuses names what is out of range.
func TestTuningRefuses(t *testing.T) {
	t.Parallel()
	n, g := networkOf(t, randomTensors(83, 16, 1, 1)), graphOf(t, 79, 17, 4, 50, 0)
	good := Tuning{Batch: 1, Negatives: 1, Temperature: 1, LearningRate: 1}
	for name, change := range map[string]func(*Tuning){"batch": func(s *Tuning) { s.Batch = 0 },
		"negatives": func(s *Tuning) { s.Negatives = 0 }, "temperature": func(s *Tuning) { s.Temperature = 0 },
		"learning rate": func(s *Tuning) { s.LearningRate = -1 }, "decay": func(s *Tuning) { s.Decay = 1 }} {
		s := good
		change(&s)
		if _, err := n.NewTuner([]*kg.Graph{g}, Inverse, s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
