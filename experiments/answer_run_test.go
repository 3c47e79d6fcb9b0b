package experiments

import (
	"context"
	"errors"
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

// MLflow knows a status that we never write, and a run of another program may have none.
func TestNotTrainedSaysWhy(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"FINISHED": "its checkpoint was deleted", "RUNNING": "it is still running; wait for its end",
		"KILLED": "it was interrupted", "FAILED": "it failed", "SCHEDULED": "its status is SCHEDULED",
		"": "its status is not logged",
	} {
		info := tracker.RunInfo{ID: "0123456789", Name: "n", Status: status,
			Params: map[string]string{config.ParamHash: "0"}}
		err := answer.NotTrained(info)
		if !strings.HasSuffix(err.Error(), "run 01234567 (n) has no trained model: "+want) {
			t.Errorf("status %q: %v", status, err)
		}
		info.Params = nil
		if err := answer.NotTrained(info); !strings.HasSuffix(err.Error(), "has no trained model: another program logged it") {
			t.Errorf("status %q, of another program: %v", status, err)
		}
	}
	imported := tracker.RunInfo{ID: "0123456789", Name: "n", Status: "FINISHED",
		Params: map[string]string{config.ParamHash: "0"}, Tags: map[string]string{tracker.TagImported: "yes"}}
	for stack, want := range map[string]string{"": "it was imported without its checkpoint; train its config again",
		"12 34": "it was imported without its models; stack runs that have them"} {
		imported.Params[answer.ParamStack] = stack
		if err := answer.NotTrained(imported); !strings.HasSuffix(err.Error(), want) {
			t.Errorf("imported, stack %q: %v", stack, err)
		}
	}
}

// TestFailedRunsHideNothing: of several runs of a name each command gets the newest that it can use, behind more failed
// ones than are looked at first; "last" does not leap over a run that nothing can be made of, except to be asked.
func TestFailedRunsHideNothing(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Name = "trial"
	r := &Runner{Tracker: tr}
	finished, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	stopped, cancel := context.WithCancel(ctx)
	r.Progress = runtest.Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == 4 {
			cancel()
		}
	})
	interrupted, ok := errors.AsType[*InterruptedError](second(r.Train(stopped, runtest.Checked(t, cfg))))
	if !ok {
		t.Fatal("the second run was not interrupted")
	}
	const failures = 20
	for range failures {
		run, err := tr.StartRun(ctx, tracker.RunSpec{Name: cfg.Name})
		if err == nil {
			err = run.Finish(ctx, tracker.Failed)
		}
		expect.NoError(t, err)
	}
	last, err := tr.FindRun(ctx, "last")
	expect.NoError(t, err)
	newest := last.ID
	type finder func(context.Context, *tracker.Tracker, string) (tracker.RunInfo, error)
	plain := func(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
		return t.FindRun(ctx, ref)
	}
	for _, c := range []struct {
		what   string
		find   finder
		ref    string
		want   string
		passed int
	}{
		{"model", answer.FindModel, cfg.Name, finished.RunID, failures + 1},
		{"model", answer.FindModel, "last", interrupted.RunID, failures},
		{"resumable", answer.FindResumable, cfg.Name, interrupted.RunID, failures},
		{"resumable", answer.FindResumable, "last", newest, 0},
		{"finished", answer.FindFinished, cfg.Name, finished.RunID, failures + 1},
		{"finished", answer.FindFinished, "last", newest, 0},
		{"any", plain, cfg.Name, newest, 0},
		{"model", answer.FindModel, newest, newest, 0}, // an id is that run, whatever it is
		{"model", answer.FindModel, tracker.ShortID(finished.RunID), finished.RunID, 0},
	} {
		found, err := c.find(ctx, tr, c.ref)
		if err != nil || found.ID != c.want || found.Passed != c.passed {
			t.Errorf("%s of %q: %s, %d passed, %v; want %s, %d", c.what, c.ref, found.ID, found.Passed, err, c.want, c.passed)
		}
		if named := c.ref == cfg.Name; (found.SameName == failures+1) != named {
			t.Errorf("%s of %q: %d others have its name", c.what, c.ref, found.SameName)
		}
	}
	run, err := answer.Open(ctx, tr, cfg.Name, nil)
	if err != nil || run.Info.ID != finished.RunID {
		t.Errorf("opening by the name: %v", err)
	}
}

// second is the error of a result and an error.
func second(_ *Result, err error) error { return err }
