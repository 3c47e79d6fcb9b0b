package experiments

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestExplanationsHaveEvidence explains facts by an embedding, a counted model and a stack of both. The probability
// without some facts is that of the run's model on a graph that does not have them.
func TestExplanationsHaveEvidence(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	ids := stackOf(t, &Runner{Tracker: tr}, sphere.RotatE, sphere.Neighbours)
	t.Run("embedding", func(t *testing.T) {
		run := openRun(t, tr, ids[0])
		e := explained(t, run, run.Graph.Test[3]).Evidence
		if e.Source != evidence.FromGraph || e.Probability != nil || e.WithoutAll != nil || len(e.Reasons) == 0 ||
			len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "reads no facts") ||
			slices.ContainsFunc(e.Reasons, func(r evidence.Reason) bool { return r.Without != nil }) {
			t.Errorf("%+v", e)
		}
	})
	t.Run("counted", func(t *testing.T) {
		checkEvidence(t, openRun(t, tr, ids[1]), evidence.FromModel, func(m answer.Model, g *kg.Graph) answer.Model {
			m, err := m.(*rule.Model).On(g)
			expect.NoError(t, err)
			return m
		})
	})
	t.Run("stack", func(t *testing.T) {
		checkEvidence(t, openRun(t, tr, ids[2]), evidence.FromModel, func(m answer.Model, g *kg.Graph) answer.Model {
			models := m.(*stack.Stack).Models()
			var err error
			if models[1], err = models[1].(*rule.Model).On(g); err != nil {
				t.Fatal(err)
			}
			if m, err = m.(*stack.Stack).On(g, models); err != nil {
				t.Fatal(err)
			}
			return m
		})
		checkCrossed(t, openRun(t, tr, ids[2]))
	})
}

// checkCrossed: by a cut of a coverage, an explanation and its evidence have one probability for a new answer to a
// validation query, which is not that of other cuts.
func checkCrossed(t *testing.T, run *answer.Run) {
	t.Helper()
	of, usual := run.Graph.Valid[7].Query(kg.TailSide).Triple(run.Graph.Test[3].Head), -1.
	for _, cut := range []string{"expected-novel", "coverage-0.5"} {
		by, err := run.Retriever(t.Context(), answer.Cut{Name: cut}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		x, err := by.Explain(t.Context(), of)
		expect.NoError(t, err)
		if x.Probability == nil || *x.Probability != *x.Evidence.Probability {
			t.Errorf("%s: probability %v, and %v of the evidence", cut, *x.Probability, *x.Evidence.Probability)
		}
		if *x.Probability == usual {
			t.Errorf("%s: the probability %v is that of other weights", cut, usual)
		}
		usual = *x.Probability
	}
}

// TestNetworkEvidence explains facts by an inductive model, alone and in a stack: the paths that carried its score come
// first.
func TestNetworkEvidence(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	dirs := []string{filepath.Dir(filepath.Dir(graphtest.File(t, "ultra/ultra_50g.pth")))}
	ids := stackOf(t, &Runner{Tracker: tr, DataDirs: dirs}, sphere.RotatE, sphere.Ultra50G)
	on := func(m answer.Model, g *kg.Graph) answer.Model {
		m, err := m.(*inductive.Model).OnGraph(g)
		expect.NoError(t, err)
		return m
	}
	t.Run("alone", func(t *testing.T) {
		checkEvidence(t, openRun(t, tr, ids[1]), evidence.FromNetwork, on)
	})
	t.Run("stack", func(t *testing.T) {
		checkEvidence(t, openRun(t, tr, ids[2]), evidence.FromNetwork, func(m answer.Model, g *kg.Graph) answer.Model {
			models := m.(*stack.Stack).Models()
			models[1] = on(models[1].(answer.Model), g)
			m, err := m.(*stack.Stack).On(g, models)
			expect.NoError(t, err)
			return m
		})
	})
}

// stackOf trains models on the bundled graph. It returns the ids of their runs and of their stack.
func stackOf(t *testing.T, r *Runner, models ...string) (ids []string) {
	t.Helper()
	for _, model := range models {
		cfg := runtest.SmallConfig("bundled")
		cfg.Model, cfg.Eval.Every, cfg.EarlyStop.Metric = model, 0, ""
		cfg.Eval.Fit, cfg.Eval.Calibrate, cfg.Eval.DropItself = true, true, true
		trained, err := r.Train(t.Context(), runtest.Checked(t, cfg))
		expect.NoError(t, err)
		ids = append(ids, trained.RunID)
	}
	combined, err := r.Stack(t.Context(), ids, StackOptions{})
	expect.NoError(t, err)
	return append(ids, combined.RunID)
}

func openRun(t *testing.T, tr *tracker.Tracker, id string) *answer.Run {
	t.Helper()
	run, err := answer.Open(t.Context(), tr, id, nil)
	expect.NoError(t, err)
	return run
}

func explained(t *testing.T, run *answer.Run, of kg.Triple) *retrieve.Explanation {
	t.Helper()
	by, err := run.Retriever(t.Context(), answer.Cut{}, retrieve.Options{}, nil)
	expect.NoError(t, err)
	x, err := by.Explain(t.Context(), of)
	expect.NoError(t, err)
	return x
}

// checkEvidence explains held-out facts and training facts. on is the run's model on another graph.
func checkEvidence(t *testing.T, run *answer.Run, source evidence.Source,
	on func(answer.Model, *kg.Graph) answer.Model,
) {
	t.Helper()
	without := func(of kg.Triple, gone []kg.Triple) float64 {
		g := run.Graph.Without(append(gone, of))
		other := &answer.Run{Info: run.Info, Graph: g, Model: on(run.Model, g), Config: run.Config}
		x := explained(t, other, of)
		if x.Probability == nil {
			t.Fatalf("%v is known without itself", of)
		}
		return *x.Probability
	}
	fewer, numbers := 0, 0
	for _, of := range []kg.Triple{run.Graph.Test[3], run.Graph.Test[40], run.Graph.Train[100]} {
		x := explained(t, run, of)
		e := x.Evidence
		if e.Source != source || e.Probability == nil || e.WithoutAll == nil || len(e.Reasons) == 0 {
			t.Fatalf("%v: %+v", of, e)
		}
		if x.Probability != nil && *x.Probability != *e.Probability {
			t.Errorf("%v: probability %v, and %v of the evidence", of, *x.Probability, *e.Probability)
		}
		if got := without(of, nil); got != *e.Probability {
			t.Errorf("%v: probability %v, want %v", of, *e.Probability, got)
		}
		if network := source == evidence.FromNetwork; network != (e.Reasons[0].Kind == evidence.Path) {
			t.Errorf("%v: the first reason is a %s", of, e.Reasons[0].Kind)
		}
		for _, reason := range e.Reasons {
			numbers++
			if want := without(of, evidence.Removed(reason)); *reason.Without != want {
				t.Errorf("%v without %v: %v, want %v", of, reason.Facts, *reason.Without, want)
			}
			for _, f := range reason.Facts {
				if f.Triple == of || !run.Graph.Index(kg.Train).Has(f.Triple) || f.Head == "" || f.Tail == "" {
					t.Errorf("%v: %+v supports it", of, f)
				}
			}
		}
		if want := without(of, evidence.Removed(e.Reasons...)); *e.WithoutAll != want {
			t.Errorf("%v without all: %v, want %v", of, *e.WithoutAll, want)
		}
		if *e.WithoutAll < *e.Probability {
			fewer++
		}
	}
	if fewer != 3 || numbers < 6 {
		t.Errorf("%d of 3 facts are less likely without their evidence, %d reasons", fewer, numbers)
	}
}
