package present

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/explore"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// reading is a Reader that has loaded untrained models of these names.
func reading(t *testing.T, names ...string) *Reader {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	r := NewReader(nil, Options{})
	for _, name := range names {
		m, err := sphere.New(sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 4, Gamma: 3,
			Epsilon: 2, Tau: .1, Alpha: .1, Beta: .06}, g, 7)
		expect.NoError(t, err)
		run := &answer.Run{Info: tracker.RunInfo{ID: name, Name: name}, Graph: g, Model: m, Config: config.Default()}
		r.loaded = append(r.loaded, &loadedRun{run: run, laying: newGate()})
	}
	return r
}

// A space is laid out once for all who ask at the same time, and goes with its model.
func TestSpaceGoesWithItsModel(t *testing.T) {
	t.Parallel()
	r := reading(t, "a", "b")
	var all [8]*explore.Space
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			s, err := r.layout(t.Context(), tracker.RunInfo{ID: []string{"a", "b"}[i%2]})
			expect.NoError(t, err)
			all[i] = s
		})
	}
	wait.Wait()
	for i, s := range all {
		if s == nil || s != all[i%2] {
			t.Errorf("caller %d has a space of its own", i)
		}
	}
	if all[0] == all[1] || all[0].Run.Info.ID != "a" {
		t.Error("two models have one space")
	}
	i := slices.IndexFunc(r.loaded, func(l *loadedRun) bool { return l.space == all[0] })
	if i < 0 || r.loaded[i].run != all[0].Run {
		t.Error("the space is not with its model")
	}
}

// Who waits for a layout may give up; others are not held up by it, and a layout that was given up is done again.
func TestSpaceIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := reading(t, "slow", "other")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.loaded[0].layout(gone); err == nil {
		t.Error("a layout without its reader ends well")
	}
	leave, err := r.loaded[0].laying.enter(t.Context()) // as if it took long
	expect.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.layout(short, tracker.RunInfo{ID: "slow"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a reader who gave up has %v", err)
	}
	_, err = r.layout(t.Context(), tracker.RunInfo{ID: "other"})
	expect.NoError(t, err)
	leave()
	_, err = r.layout(t.Context(), tracker.RunInfo{ID: "slow"})
	expect.NoError(t, err)
}

// The set is that of the cut, or as many as are asked for; where the cut has none, some are shown.
func TestSizesOfASight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ usual, asked, set, shown int }{
		{0, -1, 0, leastShown}, {0, 0, 0, 0}, {0, 3, 3, 3}, {5, -1, 5, 5}, {5, 0, 0, 0},
		{5, 50, 12, 12}, {99, -1, 12, 12},
	} {
		list := &explore.Touched{Usual: c.usual, Members: make([]retrieve.Member, 12)}
		if set, shown := sizes(list, web.Spot{Size: c.asked}); set != c.set || shown != c.shown {
			t.Errorf("of a cut with %d and the size %d the set is %d, shown are %d", c.usual, c.asked, set, shown)
		}
	}
}
