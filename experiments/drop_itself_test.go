package experiments

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestDropItself: with eval.drop_itself the sets that answer questions are those that were evaluated, none has the
// asked entity, and another run that is evaluated as if it had the key gets the same numbers and keeps nothing of it.
func TestDropItself(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	open := func(ref string) *answer.Run {
		t.Helper()
		run, err := answer.Open(ctx, tr, ref, nil)
		expect.NoError(t, err)
		return run
	}
	graph := runtest.CircleGraph(t, 60)
	var runs, others []*answer.Run // with and without the key
	for _, drop := range []bool{true, false} {
		for _, model := range []string{sphere.SpherE2D, sphere.TransE} {
			cfg := runtest.SmallConfig(graph)
			cfg.Model, cfg.Eval.Calibrate, cfg.Eval.Fit, cfg.Eval.DropItself = model, true, true, drop
			result, err := r.Train(ctx, runtest.Checked(t, cfg))
			expect.NoError(t, err)
			if drop {
				runs = append(runs, open(result.RunID))
			} else {
				others = append(others, open(result.RunID))
			}
		}
	}
	for drop, models := range map[bool][]*answer.Run{true: runs, false: others} {
		result, err := r.Stack(ctx, []string{models[0].Info.ID, models[1].Info.ID}, StackOptions{Threads: 2})
		expect.NoError(t, err)
		stacked := open(result.RunID)
		if _, logged := stacked.Info.Params["eval.drop_itself"]; logged != drop || stacked.Config.Eval.DropItself != drop {
			t.Errorf("stack of runs with eval.drop_itself %v: params %v", drop, stacked.Info.Params)
		}
		if drop {
			runs = append(runs, stacked)
		}
	}
	if a, b := runs[0].Info.Params, others[0].Info.Params; a[config.ParamHash] == b[config.ParamHash] {
		t.Error("the key is not part of the identity")
	}

	compareSizes(t, ctx, runs)

	own, err := others[0].Evaluate(ctx, answer.EvalOptions{}, nil)
	expect.NoError(t, err)
	want, err := runs[0].Evaluate(ctx, answer.EvalOptions{}, nil)
	expect.NoError(t, err)
	as := others[0].DropItself()
	got, err := as.Evaluate(ctx, answer.EvalOptions{}, nil)
	if err != nil || !maps.Equal(got.Metrics(), want.Metrics()) || maps.Equal(own.Metrics(), want.Metrics()) {
		t.Errorf("evaluated as with the key: %v", err)
	}
	by, err := as.Calibrated(ctx, "expected-f1", 0, nil)
	if err != nil || runs[0].DropItself() != runs[0] {
		t.Errorf("a run with the key is not itself, or has no probabilities: %v", err)
	}
	kept := keptCalibration(t, others[0].Info)
	if kept == nil || maps.Equal(kept.LoggedMetrics(), by.LoggedMetrics()) {
		t.Error("the kept probabilities are those of the other setting")
	}
}

// compareSizes: the answers to the test queries have the size that is evaluated, without the asked entity.
func compareSizes(t *testing.T, ctx context.Context, runs []*answer.Run) {
	t.Helper()
	var expected []eval.Limited // which stacks measure when they are asked to
	for _, c := range eval.ExpectedCuts(nil) {
		expected = append(expected, c.(eval.Limited))
	}
	for i, run := range runs {
		report, err := run.Evaluate(ctx, answer.EvalOptions{With: expected}, nil)
		expect.NoError(t, err)
		for _, name := range []string{"margin", "top-3", "top-mean", "fitted-novel", "expected-novel", "expected-f1"} {
			by, err := run.Retriever(ctx, answer.Cut{Name: name}, retrieve.Options{}, nil)
			expect.NoError(t, err)
			entities := 0
			for _, fact := range run.Graph.Test {
				q := fact.Query(kg.TailSide)
				a, err := by.Answer(ctx, q)
				expect.NoError(t, err)
				entities += len(a.Set)
				if a.Slacks[q.Known] >= 0 {
					t.Errorf("%s: the asked entity is an answer", name)
				}
			}
			c := mustCut(t, report, name)
			if size := float64(entities) / float64(len(run.Graph.Test)); math.Abs(size-c.Tail.Size) > 1e-9 {
				t.Errorf("run %d, %s: the mean size of answers is %g, evaluated %g", i, name, size, c.Tail.Size)
			}
		}
		if logged := run.Info.Metrics["test/top-3/tail_f1"]; logged != mustCut(t, report, "top-3").Tail.F1 {
			t.Errorf("run %d: top-3 has F1 %g, evaluated again %g", i, logged, mustCut(t, report, "top-3").Tail.F1)
		}
	}
}

func mustCut(t *testing.T, r *eval.Report, name string) *eval.Result {
	t.Helper()
	c, ok := r.Cut(name)
	if !ok {
		t.Fatalf("no cut %s", name)
	}
	return c
}
