package postgres_test

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestPulseChangesWithTheRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "alive")
	p := must[tracker.Pulse](t)(tr.Pulse(ctx, run.ID()))
	if p.Status != tracker.Running || p.Step != 0 || !p.Time.IsZero() {
		t.Errorf("a new run: %+v", p)
	}
	noError(t, run.LogMetrics(7, map[string]float64{"loss": 1}))
	noError(t, run.LogMetrics(3, map[string]float64{"f1": 1}))
	noError(t, run.Flush(ctx))
	if p = must[tracker.Pulse](t)(tr.Pulse(ctx, run.ID())); p.Step != 7 || p.Time.IsZero() {
		t.Errorf("with metrics: %+v", p)
	}
	noError(t, run.Finish(ctx, tracker.Killed))
	if p = must[tracker.Pulse](t)(tr.Pulse(ctx, run.ID())); p.Status != tracker.Killed {
		t.Errorf("ended: %+v", p)
	}
	if _, err := tr.Pulse(ctx, "none"); tracker.ErrorCode(err) != tracker.CodeNotFound {
		t.Errorf("no run: %v", err)
	}
}
