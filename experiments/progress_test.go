package experiments

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestLineProgressThins(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewLineProgress(&b)
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
	p := NewJSONProgress(&b)
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
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil {
		t.Fatal(err)
	}
	if e.Event != "epoch" || e.RunID != "r" || e.Epoch != 3 || *e.Metrics["loss"] != .25 || e.Metrics["bad"] != nil {
		t.Errorf("event %+v", e)
	}
}

func TestBarProgressDrawsAndEnds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewBarProgress(&b, 80)
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
