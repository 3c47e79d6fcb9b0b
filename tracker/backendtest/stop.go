package backendtest

import (
	"context"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// stoppedRun: another machine asks a run to stop. Its program stops at a heartbeat, and the resumed run ignores the
// request.
func stoppedRun(t *testing.T, s Site) {
	ctx := context.Background()
	tr := opened(t, s, tracker.Options{DataDir: t.TempDir(), FlushEvery: 10 * time.Millisecond,
		HeartbeatEvery: 20 * time.Millisecond, Say: func(line string) { t.Log(line) }})
	other := open(t, s, t.TempDir())
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "asked", Experiment: "far"}))
	time.Sleep(100 * time.Millisecond) // some heartbeats
	select {
	case <-run.Stopping():
		t.Fatal("the run is stopping although nobody asked it to")
	default:
	}
	expect.NoError(t, other.AskToStop(ctx, expect.Must[tracker.RunInfo](t)(other.FindRun(ctx, run.ID()))))
	select {
	case <-run.Stopping():
	case <-time.After(30 * time.Second):
		t.Fatal("the run does not stop at a heartbeat")
	}
	expect.NoError(t, run.Finish(ctx, tracker.Killed))
	stored := expect.Must[tracker.RunInfo](t)(other.FindRun(ctx, run.ID()))
	trackertest.WantCode(t, other.AskToStop(ctx, stored), tracker.CodeConflict, "is not running: it is killed")
	again := expect.Must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	time.Sleep(100 * time.Millisecond) // some heartbeats
	select {
	case <-again.Stopping():
		t.Error("the resumed run obeys an old request")
	default:
	}
	expect.NoError(t, again.Finish(ctx, tracker.Finished))
}
