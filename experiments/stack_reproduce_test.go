package experiments

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestStackIsReproduced: a stack with trees is fitted again to the same numbers: with other threads, after it was
// interrupted, and from another run with the bits of a model that is gone. Without such a run it is refused.
func TestStackIsReproduced(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	graph := runtest.CircleGraph(t, 20)
	train := func(model string) string {
		t.Helper()
		cfg := runtest.SmallConfig(graph)
		cfg.Model, cfg.Eval.Every, cfg.Eval.Final = model, 0, false
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		return trained.RunID
	}
	ids := []string{train(sphere.SpherE2D), train(sphere.TransE)}
	first, err := r.Stack(ctx, ids, StackOptions{Trees: true, DropItself: true, Threads: 1})
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, first.RunID)
	expect.NoError(t, err)
	want := runtest.Logged(t, tr, first.RunID)
	same := func(again *Result, err error) *Result {
		t.Helper()
		expect.NoError(t, err)
		if again.RunID == first.RunID || again.Digest != first.Digest || !maps.Equal(runtest.Logged(t, tr,
			again.RunID), want) {
			t.Errorf("run %s has other numbers", again.RunID)
		}
		run, err := tr.FindRun(ctx, again.RunID)
		if err != nil || run.Tags[tagReproduces] != first.RunID || run.Experiment != info.Experiment ||
			run.Params[config.ParamHash] != info.Params[config.ParamHash] {
			t.Errorf("it reproduces %q in experiment %s, %v", run.Tags[tagReproduces], run.Experiment, err)
		}
		return again
	}

	stopped, cancel := context.WithCancel(ctx)
	_, err = (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Message == progress.Growing {
			cancel()
		}
	})}).Reproduce(stopped, info, ReproduceOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	killed, err := tr.Runs(ctx, tracker.Filter{Status: tracker.Killed})
	if err != nil || len(killed) != 1 {
		t.Fatalf("%d interrupted runs, %v", len(killed), err)
	}
	if second := same(r.Reproduce(ctx, info, ReproduceOptions{Threads: 3})); second.RunID != killed[0].ID {
		t.Errorf("run %s was not resumed but %s made", killed[0].ID, second.RunID)
	}
	same(r.Reproduce(ctx, info, ReproduceOptions{Threads: 2}))

	expect.NoError(t, os.Remove(filepath.Join(artifacts(t, tr, ids[1]), answer.ModelFile)))
	runs, err := tr.Runs(ctx, tracker.Filter{})
	expect.NoError(t, err)
	if _, err := r.Reproduce(ctx, info, ReproduceOptions{}); err == nil ||
		!strings.Contains(err.Error(), "of run "+tracker.ShortID(ids[1])+"; train that again first") {
		t.Errorf("without a model: %v", err)
	}
	changed := info
	changed.Params = maps.Clone(info.Params)
	changed.Params["eval.bootstrap"] = "7"
	if _, err := r.Reproduce(ctx, changed, ReproduceOptions{}); err == nil ||
		!strings.Contains(err.Error(), "not those it was trained with") {
		t.Errorf("another param: %v", err)
	}
	if after, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(after) != len(runs) {
		t.Errorf("%d runs after %d, %v: something was made", len(after), len(runs), err)
	}
	twin := train(sphere.TransE)
	last, err := tr.FindRun(ctx, same(r.Reproduce(ctx, info, ReproduceOptions{})).RunID)
	if err != nil || last.Tags[answer.TagStackRuns] != ids[0]+" "+twin {
		t.Errorf("it is made of %s, %v", last.Tags[answer.TagStackRuns], err)
	}
}
