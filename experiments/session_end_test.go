package experiments

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// stopAt trains until an event at an epoch, or resumes, and returns the id of the interrupted run.
func stopAt(t *testing.T, tr *tracker.Tracker, kind progress.Kind, epoch int,
	do func(context.Context, *Runner) (*Result, error)) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := do(ctx, &Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == kind && e.Epoch == epoch {
			cancel()
		}
	})})
	interrupted, ok := errors.AsType[*InterruptedError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	return interrupted.RunID
}

// reproduces trains a run again and compares everything that does not depend on how it was made.
func reproduces(t *testing.T, tr *tracker.Tracker, id string, result *Result) {
	t.Helper()
	info, err := tr.FindRun(t.Context(), id)
	if err != nil || info.Status != "FINISHED" {
		t.Fatalf("status %s, %v", info.Status, err)
	}
	again, err := (&Runner{Tracker: tr}).Reproduce(t.Context(), info, ReproduceOptions{Threads: 2})
	expect.NoError(t, err)
	if again.Digest != result.Digest || again.Epochs != result.Epochs {
		t.Errorf("the reproduction has %d epochs and digest %.8s, the run %d and %.8s", again.Epochs, again.Digest,
			result.Epochs, result.Digest)
	}
	if got, want := runtest.Logged(t, tr, again.RunID), runtest.Logged(t, tr, id); !maps.Equal(got, want) {
		t.Errorf("the reproduction logged other numbers: %d, want %d", len(got), len(want))
	}
}

// TestFinishEndsAnInterruptedRun: the run is evaluated and sealed at the epoch that it had reached, from the best
// validation where that is kept, and its reproduction has the same bits.
func TestFinishEndsAnInterruptedRun(t *testing.T) {
	t.Parallel()
	tr, data := trackertest.Open(t), runtest.CircleGraph(t, 30)
	for _, c := range []struct {
		name, metric string
		kind         progress.Kind
		at, epochs   int
		trains       int // epochs that are trained again
	}{
		{"best kept", "valid/mrr", progress.EpochDone, 5, 5, 0},
		{"best kept, between validation and save", "valid/mrr", progress.Validated, 4, 4, 0},
		{"best kept, before the validation", "valid/mrr", progress.EpochDone, 6, 6, 0},
		{"last", "", progress.EpochDone, 5, 5, 0},
	} {
		cfg := runtest.SmallConfig(data)
		cfg.EarlyStop.Metric, cfg.EarlyStop.Patience, cfg.Eval.Calibrate, cfg.Eval.Fit = c.metric, 9, true, true
		id := stopAt(t, tr, c.kind, c.at, func(ctx context.Context, r *Runner) (*Result, error) {
			return r.Train(ctx, runtest.Checked(t, cfg))
		})
		trained := 0
		result, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			if e.Event == progress.EpochDone {
				trained++
			}
		})}).Finish(t.Context(), id, config.Layers{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		info, err := tr.FindRun(t.Context(), id)
		if err != nil || result.Epochs != c.epochs || trained != c.trains || answer.ReadLogged(info).Ended != c.epochs {
			t.Errorf("%s: %d epochs, %d trained again, logged as %d, %v", c.name, result.Epochs, trained,
				answer.ReadLogged(info).Ended, err)
		}
		if warned := strings.Join(answer.Warnings(info), "\n"); !strings.Contains(warned, "was ended after epoch") {
			t.Errorf("%s: warnings %q", c.name, warned)
		}
		if c.metric != "" && info.Tags["best_epoch"] == "" {
			t.Errorf("%s: the best validation was not taken", c.name)
		}
		reproduces(t, tr, id, result)
		if _, err := (&Runner{Tracker: tr}).Finish(t.Context(), id, config.Layers{}); err == nil {
			t.Errorf("%s: a finished run was ended again", c.name)
		}
	}
}

// TestInterruptedFinish: a run that was ended and interrupted in its evaluation is resumed to the same end.
func TestInterruptedFinish(t *testing.T) {
	t.Parallel()
	tr, cfg := trackertest.Open(t), runtest.SmallConfig(runtest.CircleGraph(t, 30))
	id := stopAt(t, tr, progress.EpochDone, 5, func(ctx context.Context, r *Runner) (*Result, error) {
		return r.Train(ctx, runtest.Checked(t, cfg))
	})
	stopAt(t, tr, progress.Evaluating, 0, func(ctx context.Context, r *Runner) (*Result, error) {
		return r.Finish(ctx, id, config.Layers{})
	})
	result, err := (&Runner{Tracker: tr}).Resume(t.Context(), id, config.Layers{})
	if err != nil || result.Epochs != 5 {
		t.Fatalf("%+v, %v", result, err)
	}
	reproduces(t, tr, id, result)
}

// TestTimeLimit: a training ends at the first epoch after its time that leaves something behind.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	tr, data := trackertest.Open(t), runtest.CircleGraph(t, 30)
	for metric, want := range map[string]int{"": 3, "valid/mrr": 2} { // saved every 3 epochs, validated every 2
		cfg := runtest.SmallConfig(data)
		cfg.EarlyStop.Metric, cfg.EarlyStop.Patience = metric, 9
		result, err := (&Runner{Tracker: tr, TimeLimit: 1}).Train(t.Context(), runtest.Checked(t, cfg))
		if err != nil || result.Epochs != want {
			t.Fatalf("metric %q: %+v, %v", metric, result, err)
		}
		reproduces(t, tr, result.RunID, result)
	}
	whole := runtest.Checked(t, runtest.SmallConfig(data))
	result, err := (&Runner{Tracker: tr, TimeLimit: time.Hour}).Train(t.Context(), whole)
	if err != nil || result.Epochs != 8 {
		t.Errorf("an hour: %+v, %v", result, err)
	}
	id := stopAt(t, tr, progress.EpochDone, 1, func(ctx context.Context, r *Runner) (*Result, error) {
		return r.Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	})
	if result, err = (&Runner{Tracker: tr, TimeLimit: 1}).Resume(t.Context(), id, config.Layers{}); err != nil ||
		result.Epochs != 3 {
		t.Fatalf("resumed: %+v, %v", result, err)
	}
	reproduces(t, tr, id, result)
}

// TestUnfinishedRunAnswers: an interrupted run answers from what it has saved and says so; nothing that is fitted for
// that stays, and no stack takes it.
func TestUnfinishedRunAnswers(t *testing.T) {
	t.Parallel()
	tr, data := trackertest.Open(t), runtest.CircleGraph(t, 30)
	for _, metric := range []string{"", "valid/mrr"} {
		cfg := runtest.SmallConfig(data)
		cfg.EarlyStop.Metric, cfg.EarlyStop.Patience, cfg.Eval.Calibrate = metric, 9, true
		id := stopAt(t, tr, progress.EpochDone, 5, func(ctx context.Context, r *Runner) (*Result, error) {
			return r.Train(ctx, runtest.Checked(t, cfg))
		})
		run, err := answer.Open(t.Context(), tr, id, nil)
		expect.NoError(t, err)
		at := "its saved model after epoch 5 of 8"
		if metric != "" {
			at = "its saved model after epoch "
		}
		if note := run.UnfinishedNote(); !strings.Contains(note, "was not finished; this is "+at) {
			t.Errorf("metric %q: note %q", metric, note)
		}
		by, err := run.Retriever(t.Context(), answer.Cut{}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		if _, err := by.Answer(t.Context(), kg.Query{Known: 0, Relation: 0, Side: kg.TailSide}); err != nil {
			t.Error(err)
		}
		for _, file := range []string{answer.CalibrationFile, answer.ThresholdsFile, answer.ModelFile} {
			if runtest.Artifact(t, run.Info, file) != "" {
				t.Errorf("metric %q: the unfinished run has %s", metric, file)
			}
		}
		if _, err := (&Runner{Tracker: tr}).Stack(t.Context(), []string{id, id}, StackOptions{}); err == nil ||
			!strings.Contains(err.Error(), "has no trained model: it was interrupted") {
			t.Errorf("a stack of an unfinished run: %v", err)
		}
		result, err := (&Runner{Tracker: tr}).Finish(t.Context(), id, config.Layers{})
		if err != nil || metric != "" && result.Digest != run.Model.Digest() {
			t.Errorf("metric %q: finishing sealed another model than the one that answered, %v", metric, err)
		}
		if run, err = answer.Open(t.Context(), tr, id, nil); err != nil || run.UnfinishedNote() != "" {
			t.Errorf("metric %q: after its end it says %q, %v", metric, run.UnfinishedNote(), err)
		}
	}
}
