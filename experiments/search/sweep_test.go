package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

const threeRuns = "runs:\n  - config: small.yaml\n    seeds: [1, 2]\n  - config: small.yaml\n    set: [model=sphere-2d]\n"

func jobStates(t *testing.T, s *Sweep, r *experiments.Runner) (states []State, ids []string) {
	t.Helper()
	list, err := s.Status(context.Background(), r)
	expect.NoError(t, err)
	for _, job := range list {
		states, ids = append(states, job.State), append(ids, job.Run.ID)
	}
	return states, ids
}

// TestSweepGoesOnWhereItStopped interrupts a sweep in its second run: the same sweep skips the first, finishes the
// second with the numbers that it would have had, trains the third, and has exported all of them.
func TestSweepGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	sweep, err := Load(runtest.WriteSweep(t, threeRuns), config.Layers{})
	expect.NoError(t, err)
	var exported []string
	export := func(_ context.Context, id string) (string, error) {
		if slices.Contains(exported, id) {
			return "", nil
		}
		exported = append(exported, id)
		return "file of " + id, nil
	}
	r := &experiments.Runner{Tracker: tr}
	if states, _ := jobStates(t, sweep, r); !slices.Equal(states, []State{Missing, Missing, Missing}) {
		t.Errorf("states at first %v", states)
	}

	stopped, cancel := context.WithCancel(ctx)
	started := 0
	r.Progress = runtest.Watch(func(e progress.Event) {
		if e.Event == progress.RunStarted {
			started++
		}
		if started == 2 && e.Event == progress.EpochDone && e.Epoch == 4 {
			cancel()
		}
	})
	var interrupted *experiments.InterruptedError
	if err := sweep.Run(stopped, r, Options{Export: export}); !errors.As(err, &interrupted) ||
		interrupted.Epoch != 4 {
		t.Fatalf("error %v", err)
	}
	states, ids := jobStates(t, sweep, r)
	if !slices.Equal(states, []State{Done, Started, Missing}) || ids[1] != interrupted.RunID {
		t.Errorf("states %v of %v", states, ids)
	}
	if !slices.Equal(exported, ids[:1]) {
		t.Errorf("exported %q", exported)
	}

	r.Progress = nil
	var lines []string
	if err := sweep.Run(ctx, r, Options{Export: export, Say: func(line string) { lines = append(lines, line) },
		Flags: []config.FlagValue{{Flag: "threads", Key: "threads", Value: "2"}}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"sweep: 1 of 3: small.yaml, seed 1: done already (run " + tracker.ShortID(ids[0]) +
		")", "2 of 3: small.yaml, seed 2: resuming run " + tracker.ShortID(ids[1]),
		"2 of 3: small.yaml, seed 2: exported to ", "3 of 3: small.yaml, seed 42: training",
		"3 of 3: small.yaml, seed 42: exported to "} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d lacks %q: %q", i, want, lines)
		}
	}
	states, ids = jobStates(t, sweep, r)
	if !slices.Equal(states, []State{Done, Done, Done}) {
		t.Errorf("states at the end %v", states)
	}
	whole, err := (&experiments.Runner{Tracker: tr}).Train(ctx, sweep.Jobs[1].Checked)
	expect.NoError(t, err)
	if !maps.Equal(runtest.Logged(t, tr, ids[1]), runtest.Logged(t, tr, whole.RunID)) {
		t.Error("the run that was interrupted has other numbers")
	}
	if !slices.Equal(exported, ids) {
		t.Errorf("exported %q, want %q", exported, ids)
	}
	infos, err := tr.Runs(ctx, tracker.Filter{IDs: ids})
	expect.NoError(t, err)
	for _, info := range infos {
		if name := answer.ReadLogged(info).Sweep; name != "sweep.yaml" {
			t.Errorf("run %s says that it is of the sweep %q", info.ID, name)
		}
	}
}

// TestSweepContinuesAfterAFailure: after a run that diverges the others are trained, and the error names it.
func TestSweepContinuesAfterAFailure(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	sweep, err := Load(runtest.WriteSweep(t,
		"runs:\n  - config: small.yaml\n    set: [train.learning_rate=1000, train.beta2=1e-9, train.adam_epsilon=1e-30]\n  - config: small.yaml\n"), config.Layers{})
	expect.NoError(t, err)
	r := &experiments.Runner{Tracker: tr}
	err = sweep.Run(ctx, r, Options{})
	var failed *experiments.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(),
		"1 of 2 runs of the sweep failed (small.yaml, seed 42)") {
		t.Errorf("error %v", err)
	}
	if states, _ := jobStates(t, sweep, r); states[1] != Done {
		t.Errorf("states %v", states)
	}
}

func TestBadSweeps(t *testing.T) {
	t.Parallel()
	for runs, want := range map[string]string{
		"runs: []\n": "runs is empty", "": "runs is empty", "jobs: []\n": "unknown field",
		"runs:\n  - seeds: [1]\n":                                                  "item 1 of runs has no config",
		"runs:\n  - config: small.yaml\n    seeds: [1, 1]\n":                       "small.yaml, seed 1 and small.yaml, seed 1 are the same run",
		"runs:\n  - config: small.yaml\n  - config: small.yaml\n    seeds: [42]\n": "are the same run",
		"runs:\n  - config: nowhere/rotate\n":                                      "item 1 of runs: no config nowhere/rotate",
		"runs:\n  - config: small.yaml\n    set: [train.epoch=3]\n":                "did you mean train.epochs?",
		"runs:\n  - config: small.yaml\n    seeds: [-1]\n":                         "not a sweep",
		"runs:\n  - config: small.yaml\n    seed: 1\n":                             "sweep.yaml:3: not a sweep: unknown field",
	} {
		_, err := Load(runtest.WriteSweep(t, runs), config.Layers{})
		var config *config.Error
		if !errors.As(err, &config) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v lacks %q", runs, err, want)
		}
	}
	if _, err := Load("nowhere.yaml", config.Layers{}); err == nil || !strings.Contains(err.Error(),
		"cannot read sweep nowhere.yaml: no such file") {
		t.Errorf("missing file: %v", err)
	}
}

// TestPaperSweep holds the rows of the default sweep and their order.
func TestPaperSweep(t *testing.T) {
	t.Parallel()
	sweep, err := Load(DefaultSweep, config.Layers{})
	expect.NoError(t, err)
	var got []string
	for _, job := range sweep.Jobs {
		c := job.Config()
		got = append(got, fmt.Sprintf("%s %s %s %d", c.Data, c.Model, c.Variant, c.Seed))
		if !c.Eval.Fit || !c.Eval.Final || c.Train.Epochs != 300 {
			t.Errorf("%s: fit %v, final %v, %d epochs", job.Title(), c.Eval.Fit, c.Eval.Final, c.Train.Epochs)
		}
	}
	want := []string{"fb15k-237 rotate released 42", "fb15k-237 sphere-2d released 42",
		"fb15k-237 sphere-2d released 1",
		"fb15k-237 sphere-2d released 2",
		"fb15k-237 rotate3d released 42", "fb15k-237 sphere-3d released 42", "wn18rr rotate released 42",
		"wn18rr sphere-2d released 42",
		"wn18rr rotate3d released 42", "wn18rr sphere-3d released 42"}
	if !slices.Equal(got, want) {
		t.Errorf("runs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
