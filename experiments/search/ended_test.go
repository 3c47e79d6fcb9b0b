package search

import (
	"context"
	"errors"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestEndedRunIsNoJobs: a sweep does not take a run that was ended early as one of the whole config.
func TestEndedRunIsNoJobs(t *testing.T) {
	t.Parallel()
	tr, cfg := trackertest.Open(t), runtest.SmallConfig(runtest.CircleGraph(t, 30))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := (&experiments.Runner{Tracker: tr, Progress: runtest.After(4, cancel)}).Train(ctx, runtest.Checked(t, cfg))
	interrupted, ok := errors.AsType[*experiments.InterruptedError](err)
	if !ok {
		t.Fatal(err)
	}
	g, err := cfg.Graph(nil)
	expect.NoError(t, err)
	job := Job{Checked: runtest.Checked(t, cfg)}
	state := func() State {
		t.Helper()
		status, err := jobStatus(t.Context(), &experiments.Runner{Tracker: tr}, job, g)
		expect.NoError(t, err)
		return status.State
	}
	if got := state(); got != Started {
		t.Errorf("the interrupted run is %s", got)
	}
	if _, err := (&experiments.Runner{Tracker: tr}).Finish(t.Context(), interrupted.RunID,
		config.Layers{}); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != Missing {
		t.Errorf("the ended run is %s", got)
	}
}
