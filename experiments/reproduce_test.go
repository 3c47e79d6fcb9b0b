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
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestReproduce: a run is trained again to the same numbers, with other threads, also after its graph has moved, and
// after the reproduction was interrupted.
func TestReproduce(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	first, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, first.RunID)
	expect.NoError(t, err)
	want := runtest.Logged(t, tr, first.RunID)

	stopped, cancel := context.WithCancel(ctx)
	r := &Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == 3 {
			cancel()
		}
	})}
	var interrupted *InterruptedError
	if _, err := r.Reproduce(stopped, info, ReproduceOptions{}); !errors.As(err, &interrupted) {
		t.Fatalf("interrupted: %v", err)
	}
	second, err := (&Runner{Tracker: tr}).Reproduce(ctx, info, ReproduceOptions{Threads: 3})
	expect.NoError(t, err)
	if second.RunID != interrupted.RunID {
		t.Errorf("run %s was not resumed: %s", interrupted.RunID, second.RunID)
	}
	moved := t.TempDir()
	expect.NoError(t, os.Rename(data, filepath.Join(moved, "another name")))
	elsewhere := &Runner{Tracker: tr, DataDirs: []string{t.TempDir(), moved}}
	third, err := elsewhere.Reproduce(ctx, info, ReproduceOptions{})
	expect.NoError(t, err)
	if third.RunID == second.RunID || third.RunID == first.RunID {
		t.Error("the third run is not a new one")
	}
	for _, again := range []*Result{second, third} {
		if again.Digest != first.Digest || !maps.Equal(runtest.Logged(t, tr, again.RunID), want) {
			t.Errorf("run %s has other numbers", again.RunID)
		}
		run, err := tr.FindRun(ctx, again.RunID)
		if err != nil || run.Tags[tagReproduces] != first.RunID || run.Experiment != info.Experiment {
			t.Errorf("it reproduces %q in experiment %s, %v", run.Tags[tagReproduces], run.Experiment, err)
		}
	}
}

// TestReproduceRefuses what cannot give the same numbers, before anything is trained.
func TestReproduceRefuses(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	r := &Runner{Tracker: tr}
	result, err := r.Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, result.RunID)
	expect.NoError(t, err)
	changed := func(change func(run *tracker.RunInfo)) tracker.RunInfo {
		run := info
		run.Params, run.Tags = maps.Clone(info.Params), maps.Clone(info.Tags)
		change(&run)
		return run
	}
	refuse := func(run tracker.RunInfo, want string) {
		t.Helper()
		if _, err := r.Reproduce(ctx, run, ReproduceOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	refuse(changed(func(run *tracker.RunInfo) { run.Params["gamma"] = "7" }), "not those it was trained with")
	refuse(changed(func(run *tracker.RunInfo) { run.Params["seed"] = "8" }), "not those it was trained with")
	refuse(changed(func(run *tracker.RunInfo) { run.Params[answer.ParamNumerics] = "0" }), "numerics version 0")
	refuse(changed(func(run *tracker.RunInfo) { run.Params[answer.ParamStack] = "a b" }), "not those it was trained with")
	refuse(changed(func(run *tracker.RunInfo) { run.Status = "KILLED" }), "it is KILLED")
	refuse(changed(func(run *tracker.RunInfo) { delete(run.Params, config.ParamHash) }), "another program")
	file, err := os.OpenFile(filepath.Join(data, "train.txt"), os.O_APPEND|os.O_WRONLY, 0)
	expect.NoError(t, err)
	if _, err := file.WriteString("e01\tplus1\te09\n"); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, file.Close())
	refuse(info, "trained on another graph")
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v: something was trained", len(runs), err)
	}
}
