// Package progress has the events of a run, and listeners that show them as lines, a bar or JSON.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// Kind is what an Event reports.
type Kind string

// The events of a run, in the order in which they can come.
const (
	// before the run starts; Config: the values of auto keys; Message: how a file was divided
	Settled Kind = "settled"
	// Done of Total of a part of the search for gamma, which Message names; before Settled
	Searching   Kind = "searching"
	RunStarted  Kind = "run_started"
	RunResumed  Kind = "run_resumed"
	EpochDone   Kind = "epoch"      // Metrics: loss, learning_rate, system/*
	Validated   Kind = "validation" // Metrics: valid/*
	Saved       Kind = "saved"      // the state to resume from is on disk
	Stopped     Kind = "early_stop"
	Evaluating  Kind = "evaluating"   // Done of Total distinct queries; Message may say what for
	RunFinished Kind = "run_finished" // Metrics: test/*, what the final evaluation logged
	RunEnded    Kind = "run_ended"    // the run ended before it was finished; Message: why
	Best        Kind = "best"         // RunID answers, of several runs that were made now or before
	Note        Kind = "note"
)

// Event is something that happened in a run. Its JSON form is a line of `train --json`.
type Event struct {
	Event    Kind               `json:"event"`
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
	Measured string             `json:"measured,omitempty"` // of Best: the run that was measured, where another answers
	Config   string             `json:"config,omitempty"`   // YAML that repeats the run
}

// Listener receives the events of a run, on the goroutine that drives the run.
type Listener interface {
	Event(Event)
}

// Silent is a Listener that ignores events.
type Silent struct{}

// Event does nothing.
func (Silent) Event(Event) {}

// JSON writes each event as one line of JSON. NaN and infinities, which JSON lacks, become null.
type JSON struct {
	mu sync.Mutex
	w  io.Writer
}

// NewJSON writes events to w.
func NewJSON(w io.Writer) *JSON { return &JSON{w: w} }

// Event writes e. A failed write does not stop the run.
func (p *JSON) Event(e Event) {
	type plain Event // without a MarshalJSON method, so that Metrics can be shadowed
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

// Lines writes plain lines for logs: at most one epoch line per interval, and every other event at once.
type Lines struct {
	w        io.Writer
	interval time.Duration
	last     time.Time
}

// NewLines writes to w, with an epoch line every few seconds.
func NewLines(w io.Writer) *Lines {
	return &Lines{w: w, interval: 5 * time.Second}
}

// Event writes e, unless a similar line was written just before.
func (p *Lines) Event(e Event) {
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

// Messages of Evaluating while probabilities, of answers and of facts, or thresholds are fitted and default cuts
// chosen, in a validation during the training, while trees grow, while rules are mined and while weights are tuned:
// Done and Total are then trees, or steps.
const (
	Calibrating = "calibrating"
	Choosing    = "choosing"
	Fitting     = "fitting"
	Validating  = "validating"
	Growing     = "growing trees"
	Mining      = "mining rules"
	Tuning      = "tuning"
	Judging     = "judging facts"
)

// doneTexts have how far the work of a message is.
var doneTexts = map[string]string{
	Calibrating: "  calibrated on %d of %d validation queries",
	Choosing:    "  compared cuts with a lookup on %d of %d validation queries",
	Fitting:     "  fitted thresholds on %d of %d validation queries",
	Validating:  "  validated %d of %d queries",
	Growing:     "  tried %d of %d trees",
	Mining:      "  mined rules for %d of %d steps",
	Tuning:      "  tuned %d of %d steps",
	Judging:     "  fitted one probability per fact on %d of %d validation queries",
}

// eventText returns a line about e for people, "" for none.
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
			e.RunName, e.Epochs, quantity.Count(e.Steps, "step"))
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
		if text, ok := doneTexts[e.Message]; ok {
			return fmt.Sprintf(text, e.Done, e.Total)
		}
		return fmt.Sprintf("  evaluated %d of %d distinct queries", e.Done, e.Total)
	case RunFinished:
		return fmt.Sprintf("  finished in %s, checkpoint %s", quantity.Seconds(e.Seconds), tracker.ShortID(e.Digest))
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
