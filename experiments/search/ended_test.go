package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
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

// TestEndedRunIsStacked: the stack of a graph takes a model whose training was ended early as it is, and says so, and
// trains none in its place.
func TestEndedRunIsStacked(t *testing.T) {
	t.Parallel()
	b, err := PlanBest(quick, runtest.CircleGraph(t, 100), nil, time.Hour, false)
	expect.NoError(t, err)
	i := slices.IndexFunc(b.Members, func(m Member) bool { return m.Config().Model == sphere.SpherE2D })
	tr := trackertest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = (&experiments.Runner{Tracker: tr, Progress: runtest.After(2, cancel)}).Train(ctx, b.Members[i].Checked)
	interrupted, ok := errors.AsType[*experiments.InterruptedError](err)
	if !ok {
		t.Fatal(err)
	}
	r := &experiments.Runner{Tracker: tr}
	ended, err := r.Finish(t.Context(), interrupted.RunID, config.Layers{})
	expect.NoError(t, err)
	var said []string
	made, err := b.Run(t.Context(), r, Options{Say: func(line string) { said = append(said, line) }})
	expect.NoError(t, err)
	if made[i].RunID != ended.RunID {
		t.Errorf("SpherE-2D is run %s, want the ended one, %s", made[i].RunID, ended.RunID)
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "done already (run "+tracker.ShortID(ended.RunID)+
		", ended after epoch 2 of 4)") {
		t.Errorf("the ended run is not named: %s", text)
	}
	stacked, err := tr.FindRun(t.Context(), made[len(made)-1].RunID)
	expect.NoError(t, err)
	if !strings.Contains(stacked.Tags[answer.TagStackRuns], ended.RunID) {
		t.Errorf("the stack is of %s", stacked.Tags[answer.TagStackRuns])
	}
}
