package experiments

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/spherelab/spherelab/spherE"
)

// EventKind says what an Event reports.
type EventKind string

// The events of a run, in the order in which they can come.
const (
	RunStarted  EventKind = "run_started"
	RunResumed  EventKind = "run_resumed"
	EpochDone   EventKind = "epoch"      // Metrics: loss, learning_rate, system/*
	Validated   EventKind = "validation" // Metrics: valid/*
	Saved       EventKind = "saved"      // the state from which the run can go on is on disk
	Stopped     EventKind = "early_stop"
	Evaluating  EventKind = "evaluating"   // Done of Total distinct queries
	RunFinished EventKind = "run_finished" // Metrics: test/*, what the final evaluation logged
	RunEnded    EventKind = "run_ended"    // before it was finished; Message says why
	Note        EventKind = "note"
)

// Event is one thing that happened in a run; its JSON form is a line of `train --json`.
type Event struct {
	Event    EventKind          `json:"event"`
	Time     time.Time          `json:"time"`
	RunID    string             `json:"run_id,omitempty"`
	RunName  string             `json:"run_name,omitempty"`
	Model    string             `json:"model,omitempty"`
	Variant  string             `json:"variant,omitempty"`
	Data     string             `json:"data,omitempty"`
	Epoch    int                `json:"epoch,omitempty"`
	Epochs   int                `json:"epochs,omitempty"`
	Steps    int                `json:"steps,omitempty"` // per epoch
	Done     int                `json:"done,omitempty"`
	Total    int                `json:"total,omitempty"`
	Status   string             `json:"status,omitempty"`
	Digest   string             `json:"checkpoint_digest,omitempty"`
	Seconds  float64            `json:"seconds,omitempty"`
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Message  string             `json:"message,omitempty"`
	Artifact string             `json:"artifact,omitempty"`
}

// Progress hears of everything that happens in a run, on the goroutine that drives the run.
type Progress interface {
	Event(Event)
}

// Silent is a Progress that says nothing.
type Silent struct{}

// Event does nothing.
func (Silent) Event(Event) {}

// JSONProgress writes each event as one line of JSON. NaN and infinities, which JSON lacks, become null.
type JSONProgress struct {
	mu sync.Mutex
	w  io.Writer
}

// NewJSONProgress writes events to w.
func NewJSONProgress(w io.Writer) *JSONProgress { return &JSONProgress{w: w} }

// Event writes e. A failed write is the reader's business: the run goes on.
func (p *JSONProgress) Event(e Event) {
	type plain Event // without MarshalJSON of any kind, so that Metrics can be shadowed
	line, err := json.Marshal(struct {
		plain
		Metrics map[string]any `json:"metrics,omitempty"`
	}{plain(e), jsonNumbers(e.Metrics)})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.w.Write(append(line, '\n'))
}

// jsonNumbers replaces what JSON cannot say by null.
func jsonNumbers(metrics map[string]float64) map[string]any {
	if metrics == nil {
		return nil
	}
	numbers := make(map[string]any, len(metrics))
	for key, value := range metrics {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			numbers[key] = nil
		} else {
			numbers[key] = value
		}
	}
	return numbers
}

// LineProgress writes plain lines for logs: at most one epoch line per interval, and every other event at once.
type LineProgress struct {
	w        io.Writer
	interval time.Duration
	last     time.Time
}

// NewLineProgress writes to w, with an epoch line every few seconds.
func NewLineProgress(w io.Writer) *LineProgress {
	return &LineProgress{w: w, interval: 5 * time.Second}
}

// Event writes e unless it is one of many.
func (p *LineProgress) Event(e Event) {
	switch e.Event {
	case EpochDone:
		if e.Epoch != 1 && e.Epoch != e.Epochs && e.Time.Sub(p.last) < p.interval {
			return
		}
		p.last = e.Time
	case Evaluating:
		if e.Done < e.Total && (e.Done == 0 || e.Time.Sub(p.last) < p.interval) {
			return
		}
		p.last = e.Time
	case Saved:
		return // of interest only to machines; a problem with saving is an error
	}
	if text := eventText(e); text != "" {
		fmt.Fprintln(p.w, text)
	}
}

// eventText is the line a person reads about e, "" for nothing.
func eventText(e Event) string {
	switch e.Event {
	case RunStarted:
		return fmt.Sprintf("%s (%s) on %s: run %s, %s, %d epochs of %s", ModelTitle(e.Model), e.Variant, e.Data, shortID(e.RunID),
			e.RunName, e.Epochs, plural(e.Steps, "step"))
	case RunResumed:
		return fmt.Sprintf("%s (%s) on %s: run %s, %s, goes on after epoch %d of %d", ModelTitle(e.Model), e.Variant, e.Data,
			shortID(e.RunID), e.RunName, e.Epoch, e.Epochs)
	case EpochDone:
		return fmt.Sprintf("  epoch %*d/%d  loss %.4f  %s", len(fmt.Sprint(e.Epochs)), e.Epoch, e.Epochs, e.Metrics["loss"],
			speedText(e.Metrics["system/steps_per_second"]))
	case Validated:
		return fmt.Sprintf("  epoch %*d/%d  validation: %s", len(fmt.Sprint(e.Epochs)), e.Epoch, e.Epochs, validationText(e.Metrics))
	case Stopped, Note:
		return "  " + e.Message
	case Evaluating:
		if e.Done == 0 {
			return ""
		}
		return fmt.Sprintf("  evaluated %d of %d distinct queries", e.Done, e.Total)
	case RunFinished:
		return fmt.Sprintf("  finished in %s, checkpoint %s", durationText(e.Seconds), shortID(e.Digest))
	}
	return ""
}

func validationText(m map[string]float64) string {
	return fmt.Sprintf("head F1 %.3f, tail F1 %.3f, MRR %.3f", m["valid/head_f1"], m["valid/tail_f1"], m["valid/mrr"])
}

func speedText(stepsPerSecond float64) string {
	switch {
	case stepsPerSecond <= 0 || math.IsInf(stepsPerSecond, 0) || math.IsNaN(stepsPerSecond):
		return ""
	case stepsPerSecond >= 10:
		return fmt.Sprintf("%.0f steps/s", stepsPerSecond)
	default:
		return fmt.Sprintf("%.2f steps/s", stepsPerSecond)
	}
}

func durationText(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", seconds)
	default:
		return d.Round(time.Second).String()
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shortID is how much of a run id or digest is shown to people; it is still a unique prefix in any real tracker.
func shortID(id string) string {
	return id[:min(8, len(id))]
}

// ModelTitle is the name under which a model stands in tables.
func ModelTitle(model string) string {
	switch model {
	case sphere.RotatE:
		return "RotatE"
	case sphere.Rotate3D:
		return "Rotate3D"
	case sphere.SpherE2D:
		return "SpherE-2D"
	case sphere.SpherE3D:
		return "SpherE-3D"
	}
	return model
}
