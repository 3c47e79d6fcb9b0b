package progress

import (
	"bytes"
	"testing"
	"time"
)

// TestPace: what was done before the clock began does not count for the speed, and without a measurement there is no
// estimate.
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
	p := NewBar(&b, 100)
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
