package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestLineProgressThins(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewLines(&b)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p.Event(Event{Event: RunStarted, Time: start, RunID: "0123456789", RunName: "n", Model: "rotate", Variant: "clean",
		Data: "g", Epochs: 100, Steps: 1})
	for epoch := 1; epoch <= 100; epoch++ {
		p.Event(Event{Event: EpochDone, Time: start.Add(time.Duration(epoch) * 200 * time.Millisecond), Epoch: epoch,
			Epochs:  100,
			Metrics: map[string]float64{"loss": .5, "system/steps_per_second": 12}})
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	// The start, the first epoch, one line per 5 s = 25 epochs, the last epoch.
	if len(lines) != 6 || lines[0] != "RotatE (clean) on g: run 01234567, n, 100 epochs of 1 step" ||
		lines[5] != "  epoch 100/100  loss 0.5000  12 steps/s" {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
}

func TestJSONProgressIsOneObjectPerLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewJSON(&b)
	p.Event(Event{Event: EpochDone, RunID: "r", Epoch: 3, Metrics: map[string]float64{"loss": .25, "bad": math.NaN()}})
	p.Event(Event{Event: RunEnded, Status: "FAILED", Message: "a\nb"})
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	var e struct {
		Event   string
		RunID   string `json:"run_id"`
		Epoch   int
		Metrics map[string]*float64
	}
	expect.NoError(t, json.Unmarshal([]byte(lines[0]), &e))
	if e.Event != "epoch" || e.RunID != "r" || e.Epoch != 3 || *e.Metrics["loss"] != .25 || e.Metrics["bad"] != nil {
		t.Errorf("event %+v", e)
	}
}

func TestBarProgressDrawsAndEnds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewBar(&b, 80)
	p.Event(Event{Event: RunStarted, RunID: "0123456789", RunName: "n", Model: "rotate", Variant: "clean", Data: "g",
		Epochs: 2, Steps: 1})
	p.Event(Event{Event: EpochDone, Epoch: 1, Epochs: 2, Metrics: map[string]float64{"loss": .5}})
	p.Event(Event{Event: Validated, Epoch: 1, Epochs: 2, Metrics: map[string]float64{"valid/mrr": .125}})
	p.Event(Event{Event: EpochDone, Epoch: 2, Epochs: 2, Metrics: map[string]float64{"loss": .25}})
	p.Event(Event{Event: Evaluating, Done: 0, Total: 1})
	p.Event(Event{Event: Evaluating, Done: 7, Total: 7})
	p.Event(Event{Event: RunFinished, Digest: "abcdefgh99", Seconds: 3})
	p.Close()
	for _, want := range []string{"RotatE (clean) on g", "MRR 0.125", "finished in 3.0 s, checkpoint abcdefgh"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, b.String())
		}
	}
}

// TestWhereSlow: a short work is not shown, a long one is, to its end.
func TestWhereSlow(t *testing.T) {
	t.Parallel()
	var seen []string
	show := func(first bool, done, total int) { seen = append(seen, fmt.Sprint(first, done, total)) }
	short := WhereSlow(show)
	short(1, 2)
	short(2, 2)
	if len(seen) > 0 {
		t.Errorf("a short work: %q", seen)
	}
	long := WhereSlow(show)
	time.Sleep(soon + 10*time.Millisecond)
	long(3, 5)
	long(4, 5) // just after
	long(5, 5)
	if want := []string{"true 3 5", "false 5 5"}; !slices.Equal(seen, want) {
		t.Errorf("a long work: %q, want %q", seen, want)
	}
}

// TestSlowValidationKeepsTheBar: on a terminal a validation between epochs stands next to the training's bar.
func TestSlowValidationKeepsTheBar(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewBar(&b, 100)
	p.Event(Event{Event: RunStarted, Epochs: 2})
	bar := p.bar
	p.Event(Event{Event: EpochDone, Epoch: 1, Epochs: 2})
	p.Event(Event{Event: Evaluating, Epoch: 1, Done: 3, Total: 9, Message: Validating})
	if p.bar != bar || bar.Current() != 1 {
		t.Errorf("the bar of the training has %d of 2 epochs", bar.Current())
	}
	p.Event(Event{Event: Evaluating, Done: 3, Total: 9, Message: Fitting})
	if p.bar == bar {
		t.Error("fitting has no bar of its own")
	}
	p.Close()
	for message, want := range map[string]string{Validating: "validated 3 of 9", Fitting: "fitted thresholds on 3 of 9",
		Calibrating: "calibrated on 3 of 9"} {
		b.Reset()
		NewLines(&b).Event(Event{Event: Evaluating, Time: time.Now(), Done: 3, Total: 9, Message: message})
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s in a pipe: %q", message, b.String())
		}
	}
}
