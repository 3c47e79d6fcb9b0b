package experiments

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestWorkerForgetsScoresOfAnotherGraph: a worker keeps what it read of a search until the search or its graph changes.
func TestWorkerForgetsScoresOfAnotherGraph(t *testing.T) {
	t.Parallel()
	s, err := LoadSweep(writeSearch(t, "  trials: 2\n  space:\n    gamma: {from: 2, to: 8}\n"), Layers{})
	if err != nil {
		t.Fatal(err)
	}
	tr := trackertest.Open(t)
	if _, err := s.Enqueue(t.Context(), &Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	lease, err := tr.TakeJob(t.Context(), "here", time.Minute)
	if err != nil || lease == nil {
		t.Fatal(lease, err)
	}
	w := &Worker{Runner: &Runner{Tracker: tr}}
	look := func() (memory *searchMemory) {
		t.Helper()
		before := map[*searchMemory]bool{}
		for _, m := range w.searches.all {
			before[m] = true
		}
		if _, err := w.search(t.Context(), lease, "here"); !errors.Is(err, errSearching) {
			t.Fatal(err)
		}
		for _, m := range w.searches.all {
			if memory == nil || !before[m] {
				memory = m
			}
		}
		return memory
	}
	first := look()
	if again := look(); again != first {
		t.Error("a second look at the same graph begins anew")
	}
	file := filepath.Join(s.Search.base.Data, "train.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	if err := os.WriteFile(file, rest, 0o600); err != nil {
		t.Fatal(err)
	}
	if changed := look(); changed == first {
		t.Error("the scores of the old graph count for the new one")
	}
}
