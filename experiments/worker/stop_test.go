package worker

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// waitForHeartbeats waits until a run's program has stored so many further heartbeats, each after it looked at the tags
// that were there at the one before.
func waitForHeartbeats(t *testing.T, db *sqlx.DB, run string, n int) {
	t.Helper()
	var last time.Time
	for end := time.Now().Add(time.Minute); n >= 0; {
		var at time.Time
		if err := db.Get(&at, `SELECT at FROM spherelab.heartbeat WHERE run_uuid = $1`, run); err != nil {
			t.Error(err)
			return
		}
		if !at.Equal(last) {
			last, n = at, n-1
		}
		if time.Now().After(end) {
			t.Error("the run's program stores no heartbeat")
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestWorkerIsAskedToStop: of two jobs the first is stopped; its worker takes the other one and does not train the
// stopped one again.
func TestWorkerIsAskedToStop(t *testing.T) {
	t.Parallel()
	_, tr := enqueued(t, "runs:\n  - config: small.yaml\n    seeds: [1, 2]\n")
	own := trackertest.OpenWith(t, trackertest.StoreOf(t, tr).URL(), tracker.Options{FlushEvery: 5 * time.Millisecond,
		HeartbeatEvery: 5 * time.Millisecond, ArtifactDir: trackertest.StoreOf(t, tr).ArtifactRoot()})
	ask := sync.OnceFunc(func() {
		list, err := own.Runs(t.Context(), tracker.Filter{Status: tracker.Running})
		if err != nil || len(list) != 1 {
			t.Errorf("%d runs, %v", len(list), err)
			return
		}
		if err := own.AskToStop(t.Context(), list[0]); err != nil {
			t.Error(err)
		}
		waitForHeartbeats(t, trackertest.StoreOf(t, tr).DB(), list[0].ID, 3)
	})
	var said []string
	w := &Worker{Runner: &experiments.Runner{Tracker: own, Progress: runtest.After(2, ask)}, Drain: true, Runs: 1,
		Poll: 10 * time.Millisecond, Say: func(line string) { said = append(said, line) }}
	expect.NoError(t, w.Run(t.Context()))
	runs, err := tr.Runs(t.Context(), tracker.Filter{})
	expect.NoError(t, err)
	var states []string
	for _, run := range runs {
		states = append(states, run.Status)
		if run.Status == "KILLED" && !strings.Contains(run.Tags[tracker.TagError], "was stopped, as somebody asked") {
			t.Errorf("its last words are %q", run.Tags[tracker.TagError])
		}
	}
	slices.Sort(states)
	if got := strings.Join(states, " "); got != "FINISHED KILLED" {
		t.Errorf("the runs are %s\n%s", got, strings.Join(said, "\n"))
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "stopped, as somebody asked; its run is saved") {
		t.Errorf("the worker says\n%s", text)
	}
}
