package experiments

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
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
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	var ids []string
	for _, model := range []string{sphere.RotatE, sphere.Neighbours} {
		cfg := runtest.SmallConfig("bundled")
		cfg.Model, cfg.Eval.Every, cfg.EarlyStop.Metric = model, 0, ""
		cfg.Eval.Fit, cfg.Eval.Calibrate, cfg.Eval.DropItself = true, true, true
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		ids = append(ids, trained.RunID)
	}
	combined, err := r.Stack(ctx, ids, StackOptions{})
	expect.NoError(t, err)
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
		checkEvidence(t, openRun(t, tr, ids[1]), func(m answer.Model, g *kg.Graph) answer.Model {
			m, err := m.(*rule.Model).On(g)
			expect.NoError(t, err)
			return m
		})
	})
	t.Run("stack", func(t *testing.T) {
		checkEvidence(t, openRun(t, tr, combined.RunID), func(m answer.Model, g *kg.Graph) answer.Model {
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
	})
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
func checkEvidence(t *testing.T, run *answer.Run, on func(answer.Model, *kg.Graph) answer.Model) {
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
		if e.Source != evidence.FromModel || e.Probability == nil || e.WithoutAll == nil || len(e.Reasons) == 0 {
			t.Fatalf("%v: %+v", of, e)
		}
		if x.Probability != nil && *x.Probability != *e.Probability {
			t.Errorf("%v: probability %v, and %v of the evidence", of, *x.Probability, *e.Probability)
		}
		if got := without(of, nil); got != *e.Probability {
			t.Errorf("%v: probability %v, want %v", of, *e.Probability, got)
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
