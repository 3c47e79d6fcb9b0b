package experiments

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSearchGammaContinues: a search that was interrupted in its training or before its validation continues with its
// saved steps, finds what an uninterrupted one finds, and is not made a second time.
func TestSearchGammaContinues(t *testing.T) {
	t.Parallel()
	g := ring(t, 60, 140)
	c, err := runtest.Load(config.Layers{Config: "auto/sphere-2d", Set: []string{"dimension=8", "train.batch=16", "threads=1"}})
	expect.NoError(t, err)
	whole, err := settle(t.Context(), c, g)
	expect.NoError(t, err)
	tr := trackertest.Open(t)
	steps := 0 // of events of training
	settle := func(phase string, gamma, done int) (config.Checked, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			if e.Event != progress.Searching {
				return
			}
			if strings.HasSuffix(e.Message, trainPhase) && e.Done < e.Total {
				steps += searchPart
			}
			if strings.HasPrefix(e.Message, "gamma "+[]string{"6", "3", "4", "9", "12"}[gamma]+" ") &&
				strings.HasSuffix(e.Message, phase) && e.Done >= done {
				cancel()
			}
		})}).Settle(ctx, runtest.Checked(t, c), g)
	}
	for _, stop := range []struct {
		phase       string
		gamma, done int
		says        string
	}{{trainPhase, 0, 250, "after 0 of 5 values"}, {trainPhase, 2, 475, "after 2 of 5 values"},
		{trainPhase, 3, searchSteps, "after 3 of 5 values"}} {
		_, err := settle(stop.phase, stop.gamma, stop.done)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), stop.says) {
			t.Fatalf("stopped in gamma %d, %s: %v", stop.gamma, stop.phase, err)
		}
	}
	// The part in which the interrupt came is counted twice.
	settled, err := settle(validPhase, 4, 1e9)
	if err != nil || settled.Config().Gamma != whole.Gamma {
		t.Fatalf("gamma %v, %v; without an interrupt %v", settled.Config().Gamma, err, whole.Gamma)
	}
	if all := 5 * searchSteps; steps < all || steps > all+3*searchPart {
		t.Errorf("%d steps were trained, of %d", steps, all)
	}
	before := steps
	settled, err = settle(validPhase, 4, 1e9)
	if err != nil || settled.Config().Gamma != whole.Gamma || steps != before {
		t.Errorf("again: gamma %v, %d steps, %v", settled.Config().Gamma, steps-before, err)
	}
	c.Seed++
	if _, err := settle(validPhase, 4, 1e9); err != nil || steps != before+5*searchSteps {
		t.Errorf("another seed: %d steps, %v", steps-before, err)
	}
	folders, err := filepath.Glob(filepath.Join(tr.DataDir(), searchFolder, "*"))
	if err != nil || len(folders) != 2 {
		t.Fatalf("folders %q, %v", folders, err)
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, partFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the state of a search stays after its end: %v", err)
		}
		expect.NoError(t, os.WriteFile(filepath.Join(folder, measuredFile), []byte("{"), 0o644))
	}
	before = steps
	if _, err := settle(validPhase, 4, 1e9); err != nil || steps != before+5*searchSteps {
		t.Errorf("after damage: %d steps, %v", steps-before, err)
	}
}
