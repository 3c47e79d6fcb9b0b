package session

import (
	"context"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestTrainUntil stops where a validation is due, and where none is; the resumed runs have the bits of one that was not
// stopped.
func TestTrainUntil(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, _ := newTestSession(t, tr)
	g := s.Graph(ring(t, 30))
	m := s.Model("sphere-2d").Dim(8).Epochs(20).Set("eval.every", 5).Set("eval.bootstrap", 0)
	whole := s.Train(g, m.Name("whole"))
	for _, epoch := range []int{1, 10, 19} {
		stopped := s.TrainUntil(g, m.Name("stopped"), epoch)
		if stopped.Status() != "KILLED" || stopped.Digest() != "" {
			t.Errorf("after epoch %d: status %s, digest %q", epoch, stopped.Status(), stopped.Digest())
		}
		for key, want := range map[string]int{"loss": epoch, "valid/head_f1": epoch / 5} {
			epochs, _ := history(context.Background(), tr, stopped.ID(), key)
			if len(epochs) != want {
				t.Errorf("stopped after epoch %d: %d values of %s, want %d", epoch, len(epochs), key, want)
			}
		}
		if resumed := s.Resume(stopped.ID()); resumed.Digest() != whole.Digest() || resumed.ID() != stopped.ID() {
			t.Errorf("stopped after epoch %d and resumed: %s, whole %s", epoch, resumed.Digest(), whole.Digest())
		}
	}
	for _, epoch := range []int{-1, 0, 20, 21} {
		if e := caught(t, func() { s.TrainUntil(g, m, epoch) }); e.Name != BadModel ||
			!strings.Contains(e.Message, "from 1 to 19") {
			t.Errorf("epoch %d: %s: %s", epoch, e.Name, e.Message)
		}
	}
	if e := caught(t, func() { s.TrainUntil(nil, m, 3) }); e.Name != UnknownGraph {
		t.Errorf("no graph: %s", e.Name)
	}
}
