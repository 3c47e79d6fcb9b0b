package experiments

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSearchGammaContinues: a search that was interrupted in its training or before its validation continues with its
// saved steps, finds what an uninterrupted one finds, and is not made a second time.
func TestSearchGammaContinues(t *testing.T) {
	t.Parallel()
	g := ring(t, 60, 140)
	c, err := LoadConfig(Layers{Config: "auto/sphere-2d", Set: []string{"dimension=8", "train.batch=16", "threads=1"}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := c.Settle(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	tr := trackertest.Open(t)
	steps := 0 // of events of training
	settle := func(phase string, gamma, done int) (*Config, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return (&Runner{Tracker: tr, Progress: watch(func(e Event) {
			if e.Event != Searching {
				return
			}
			if strings.HasSuffix(e.Message, trainPhase) && e.Done < e.Total {
				steps += searchPart
			}
			if strings.HasPrefix(e.Message, "gamma "+[]string{"6", "3", "4", "9", "12"}[gamma]+" ") &&
				strings.HasSuffix(e.Message, phase) && e.Done >= done {
				cancel()
			}
		})}).Settle(ctx, c, g)
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
	if err != nil || settled.Gamma != whole.Gamma {
		t.Fatalf("gamma %v, %v; without an interrupt %v", settled.Gamma, err, whole.Gamma)
	}
	if all := 5 * searchSteps; steps < all || steps > all+3*searchPart {
		t.Errorf("%d steps were trained, of %d", steps, all)
	}
	before := steps
	if settled, err = settle(validPhase, 4, 1e9); err != nil || settled.Gamma != whole.Gamma || steps != before {
		t.Errorf("once more: gamma %v, %d steps, %v", settled.Gamma, steps-before, err)
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
		if err := os.WriteFile(filepath.Join(folder, measuredFile), []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before = steps
	if _, err := settle(validPhase, 4, 1e9); err != nil || steps != before+5*searchSteps {
		t.Errorf("after damage: %d steps, %v", steps-before, err)
	}
}

// TestPace: what was done before the clock began is no measure of the speed, and nothing measured is no estimate.
func TestPace(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(1e9+int64(s), 0) }
	var p Pace
	if left, known := p.Left(100); known {
		t.Errorf("nothing measured: %v", left)
	}
	p.Reach(90, at(5)) // as the first epoch after a resume
	if left, known := p.Left(100); known {
		t.Errorf("only the beginning: %v", left)
	}
	p.Reach(92, at(11))
	if left, known := p.Left(100); !known || left != 24*time.Second {
		t.Errorf("two in 6 s and eight to do: %v, %v", left, known)
	}
	p = Pace{}
	p.Begin(0, at(0))
	p.Reach(1, at(2))
	if left, known := p.Left(4); !known || left != 6*time.Second {
		t.Errorf("one in 2 s and three to do: %v, %v", left, known)
	}
}

// TestBarOfResumedRun: a bar has no time left until a whole epoch was measured, and then that of the measured ones.
func TestBarOfResumedRun(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewBarProgress(&b, 100)
	at := func(s int) time.Time { return time.Unix(1e9+int64(s), 0) }
	p.Event(Event{Event: RunResumed, Time: at(0), Epoch: 900, Epochs: 1000})
	if left := p.left(1000); left != "" {
		t.Errorf("at once: %q", left)
	}
	p.Event(Event{Event: EpochDone, Time: at(1), Epoch: 901, Epochs: 1000})
	if left := p.left(1000); left != "" {
		t.Errorf("after the rest of an epoch: %q", left)
	}
	p.Event(Event{Event: EpochDone, Time: at(11), Epoch: 902, Epochs: 1000})
	if left := p.left(1000); left != "  16m20s left" {
		t.Errorf("after an epoch of 10 s: %q", left)
	}
	p.Close()
}
