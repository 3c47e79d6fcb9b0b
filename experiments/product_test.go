package experiments

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestDotProductsAreRunsLikeOthers trains ComplEx by one-vs-all with early stopping, stops it in the middle and
// resumes it, and asks it by the cuts that it has.
func TestDotProductsAreRunsLikeOthers(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Model, cfg.Reciprocal, cfg.Eval.Fit = sphere.ComplEx, true, true
	cfg.Train.Loss, cfg.Train.N3, cfg.Train.LearningRate = sphere.OneVsAll, .01, .1
	cfg.EarlyStop.Metric = "valid/head_f1" // of the primary cut
	whole, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	want := runtest.Logged(t, tr, whole.RunID)

	stopped, cancel := context.WithCancel(ctx)
	threads := *cfg
	threads.Threads = 2
	_, err = (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == 4 {
			cancel()
		}
	})}).Train(stopped, runtest.Checked(t, &threads))
	interrupted, ok := errors.AsType[*InterruptedError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	resumed, err := (&Runner{Tracker: tr}).Resume(ctx, interrupted.RunID, config.Layers{})
	expect.NoError(t, err)
	if got := runtest.Logged(t, tr, interrupted.RunID); resumed.Digest != whole.Digest || !maps.Equal(got, want) {
		t.Error("the resumed run has other numbers")
	}

	if whole.Report.Primary != "top-mean" {
		t.Errorf("the primary cut is %q", whole.Report.Primary)
	}
	for _, cut := range []string{"fitted-f1", "top-3"} {
		if _, ok := whole.Report.Cut(cut); !ok {
			t.Errorf("no row %s", cut)
		}
	}
	run, err := answer.Open(ctx, tr, whole.RunID, nil)
	expect.NoError(t, err)
	if names := run.CutNames(answer.EvalOptions{}); !slices.Equal(names, slices.Compact(slices.Clone(names))) ||
		slices.Contains(names, "") {
		t.Errorf("cuts %q", names)
	}
	again, err := run.Evaluate(ctx, answer.EvalOptions{}, nil)
	if err != nil || !maps.Equal(again.Metrics(), whole.Report.Metrics()) {
		t.Errorf("the second evaluation differs: %v", err)
	}
	q := kg.Query{Side: kg.TailSide, Known: 3}
	for cut, size := range map[string]int{"": -1, "fitted-f1": -1, "top-3": 3, "top-mean": -1} {
		by, err := run.Retriever(ctx, answer.Cut{Name: cut}, retrieve.Options{}, nil)
		if err != nil {
			t.Errorf("cut %q: %v", cut, err)
			continue
		}
		if a, err := by.Answer(ctx, q); err != nil || size >= 0 && len(a.Set) != size {
			t.Errorf("cut %q: %d answers, %v", cut, len(a.Set), err)
		}
	}
	for _, cut := range []string{"margin", "sphere"} {
		_, err := run.Retriever(ctx, answer.Cut{Name: cut}, retrieve.Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), "dot products") {
			t.Errorf("cut %s: error %v", cut, err)
		}
		if _, err := run.Evaluate(ctx, answer.EvalOptions{Criterion: sphere.Criterion(cut)}, nil); err == nil {
			t.Errorf("an evaluation by %s was not refused", cut)
		}
	}
	if _, err := retrieve.New(run.Model, run.Graph, retrieve.Options{}); err == nil {
		t.Error("a set that nothing ends was not refused")
	}
	bare := answer.Run{Graph: &kg.Graph{Name: "bare"}, Model: run.Model, Config: run.Config}
	if cut := bare.UsualCut(); cut != (eval.TopMean{}).Name() {
		t.Errorf("without validation facts the default cut is %q", cut)
	}
}

// TestLossKeysAreRefused names the key, and the one that it does not fit.
func TestLossKeysAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{"model=complex", "eval.criterion=margin"}, "eval.criterion must be default for complex"},
		{[]string{"model=rotate", "reciprocal=true"}, "reciprocal must be false for model rotate"},
		{[]string{"train.loss=softmax"}, "train.loss must be one of self-adversarial, one-vs-all"},
		{[]string{"model=complex", "train.n3=1"}, "train.n3 must be 0 unless the loss is one-vs-all"},
		{[]string{"model=complex", "train.relation_weight=1"}, "train.relation_weight must be 0 unless the loss is"},
		{[]string{"model=rotate", "train.loss=one-vs-all", "train.relation_weight=1"},
			"train.relation_weight must be 0 with model rotate"},
		{[]string{"model=rescal", "train.loss=one-vs-all", "train.relation_weight=1"},
			"train.relation_weight must be 0 with model rescal"},
		{[]string{"model=complex", "train.loss=one-vs-all", "train.warm_up=9"}, "train.warm_up must be 0"},
		{[]string{"model=complex", "variant=paper"}, "variant must be clean for model complex"},
	} {
		if _, err := runtest.Load(config.Layers{Set: c.set}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.set, err, c.want)
		}
	}
}
