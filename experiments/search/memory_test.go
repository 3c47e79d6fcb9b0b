package search

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestMemoriesForgetScoresOfAnotherGraph: a worker keeps what it read of a search until the search or its graph
// changes.
func TestMemoriesForgetScoresOfAnotherGraph(t *testing.T) {
	t.Parallel()
	s, err := Load(runtest.WriteSearch(t, "  trials: 2\n  space:\n    gamma: {from: 2, to: 8}\n"), config.Layers{})
	expect.NoError(t, err)
	tr := trackertest.Open(t)
	if _, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	lease, err := trackertest.StoreOf(t, tr).TakeJob(t.Context(), "here", time.Minute)
	if err != nil || lease == nil {
		t.Fatal(lease, err)
	}
	of, err := ParseJob(lease.Job)
	expect.NoError(t, err)
	var kept Memories
	look := func() (memory *searchMemory) {
		t.Helper()
		before := map[*searchMemory]bool{}
		for _, m := range kept.all {
			before[m] = true
		}
		g, err := of.Graph(nil)
		expect.NoError(t, err)
		if _, winner, err := kept.Advance(t.Context(), &experiments.Runner{Tracker: tr}, of, g, lease.Job); winner != "" || err != nil {
			t.Fatal(winner, err)
		}
		for _, m := range kept.all {
			if memory == nil || !before[m] {
				memory = m
			}
		}
		return memory
	}
	first := look()
	if again := look(); again != first {
		t.Error("a second look at the same graph starts over")
	}
	file := filepath.Join(s.Search.base.Config().Data, "train.txt")
	text, err := os.ReadFile(file)
	expect.NoError(t, err)
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	expect.NoError(t, os.WriteFile(file, rest, 0o600))
	if changed := look(); changed == first {
		t.Error("the scores of the old graph count for the new one")
	}
}
