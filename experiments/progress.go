package experiments

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// EventKind says what an Event reports.
type EventKind string

// The events of a run, in the order in which they can come.
const (
	// Config: what auto became; Message: how a file was divided; before the run starts
	Settled EventKind = "settled"
	// Done of Total of a part of the search for gamma, which Message names; before Settled
	Searching   EventKind = "searching"
	RunStarted  EventKind = "run_started"
	RunResumed  EventKind = "run_resumed"
	EpochDone   EventKind = "epoch"      // Metrics: loss, learning_rate, system/*
	Validated   EventKind = "validation" // Metrics: valid/*
	Saved       EventKind = "saved"      // the state to resume from is on disk
	Stopped     EventKind = "early_stop"
	Evaluating  EventKind = "evaluating"   // Done of Total distinct queries; Message may say what for
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
	Config   string             `json:"config,omitempty"` // YAML that repeats the run
}

// Progress receives the events of a run, on the goroutine that drives the run.
type Progress interface {
	Event(Event)
}

// Silent is a Progress that ignores events.
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

// Event writes e. A failed write does not stop the run.
func (p *JSONProgress) Event(e Event) {
	type plain Event // without MarshalJSON of any kind, so that Metrics can be shadowed
	line, err := json.Marshal(struct {
		plain
		Metrics map[string]jsonvalue.Number `json:"metrics,omitempty"`
	}{plain(e), jsonvalue.Numbers(e.Metrics)})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.w.Write(append(line, '\n'))
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

// Event writes e, unless a similar line was written just before.
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
	case Searching:
		if e.Time.Sub(p.last) < p.interval {
			return
		}
		p.last = e.Time
	case Saved:
		return // for machines only
	}
	if text := eventText(e); text != "" {
		fmt.Fprintln(p.w, text)
	}
}

// Messages of Evaluating while probabilities or thresholds are fitted, in a validation during the training, and while
// trees grow: Done and Total are then trees.
const (
	calibrating = "calibrating"
	fitting     = "fitting"
	validating  = "validating"
	growing     = "growing trees"
)

// eventText is a line about e for people, "" for none.
func eventText(e Event) string { return visible.Lines(sayEvent(e)) }

func sayEvent(e Event) string {
	switch e.Event {
	case Settled:
		text := ""
		if e.Message != "" {
			text = fmt.Sprintf("%s: %s\n", e.Data, e.Message)
		}
		return text + fmt.Sprintf("%s (%s) on %s; this config repeats the run:\n  ", sphere.Title(e.Model), e.Variant,
			e.Data) +
			strings.ReplaceAll(strings.TrimSpace(e.Config), "\n", "\n  ")
	case RunStarted:
		return fmt.Sprintf("%s (%s) on %s: run %s, %s, %d epochs of %s", sphere.Title(e.Model), e.Variant, e.Data,
			tracker.ShortID(e.RunID),
			e.RunName, e.Epochs, plural(e.Steps, "step"))
	case RunResumed:
		return fmt.Sprintf("%s (%s) on %s: run %s, %s, resumes after epoch %d of %d", sphere.Title(e.Model), e.Variant,
			e.Data,
			tracker.ShortID(e.RunID), e.RunName, e.Epoch, e.Epochs)
	case EpochDone:
		return fmt.Sprintf("  epoch %*d/%d  loss %.4f  %s", len(fmt.Sprint(e.Epochs)), e.Epoch, e.Epochs,
			e.Metrics["loss"],
			speedText(e.Metrics["system/steps_per_second"]))
	case Validated:
		return fmt.Sprintf("  epoch %*d/%d  validation: %s", len(fmt.Sprint(e.Epochs)), e.Epoch, e.Epochs,
			validationText(e.Metrics))
	case Stopped, Note:
		return "  " + e.Message
	case Searching:
		return fmt.Sprintf("  %s: %d of %d", e.Message, e.Done, e.Total)
	case Evaluating:
		if e.Done == 0 {
			return ""
		}
		if e.Message == calibrating {
			return fmt.Sprintf("  calibrated on %d of %d validation queries", e.Done, e.Total)
		}
		if e.Message == fitting {
			return fmt.Sprintf("  fitted thresholds on %d of %d validation queries", e.Done, e.Total)
		}
		if e.Message == validating {
			return fmt.Sprintf("  validated %d of %d queries", e.Done, e.Total)
		}
		if e.Message == growing {
			return fmt.Sprintf("  tried %d of %d trees", e.Done, e.Total)
		}
		return fmt.Sprintf("  evaluated %d of %d distinct queries", e.Done, e.Total)
	case RunFinished:
		return fmt.Sprintf("  finished in %s, checkpoint %s", DurationText(e.Seconds), tracker.ShortID(e.Digest))
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

// DurationText is a duration for people: "1.5 s", "12 s", "3m20s".
func DurationText(seconds float64) string {
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
