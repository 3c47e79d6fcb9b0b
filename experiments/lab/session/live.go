package session

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

const (
	// showEvery is the least time between two pictures of a training.
	showEvery = 250 * time.Millisecond
	// showCost bounds the time for pictures: one part in showCost of the training's time.
	showCost = 100
)

// live shows a training in one display: a bar, the loss and the F1 of validations. It draws a picture as soon as all
// pictures together stay below one hundredth of the elapsed time. The first and the last picture are always drawn.
type live struct {
	show    func(data map[string]interface{})
	now     func() time.Time
	history func(runID, key string) (epochs, values []float64) // what a resumed run has logged; may be nil
	above   func() (text string, c *chart.Chart)               // what a sweep shows in addition; nil without a sweep

	mu            sync.Mutex // guards the next two lines; the rest belongs to the goroutine that trains
	id, name      string
	epoch, epochs int

	title       string // model and graph
	phase       string
	pace        progress.Pace
	done, total int // queries of the evaluation
	loss        series
	head, tail  series // F1 of validations
	speed       float64
	results     map[string]float64
	digest      string
	notes       []string

	began   time.Time
	drawn   time.Time     // when the last picture was
	spent   time.Duration // on pictures
	cost    time.Duration // of the last picture
	renders int
}

// series are values by epoch.
type series struct{ x, y []float64 }

func (s *series) add(epoch int, value float64) {
	s.x, s.y = append(s.x, float64(epoch)), append(s.y, value)
}

func newLive(show func(map[string]interface{}), now func() time.Time, notes []string) *live {
	return &live{show: show, now: now, notes: slices.Clone(notes), phase: "starting", began: now()}
}

// where returns the name of the run in training and its epoch.
func (l *live) where() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.id == "" {
		return "a run"
	}
	return fmt.Sprintf("run %s (%s), after epoch %d of %d,", tracker.ShortID(l.id), l.name, l.epoch, l.epochs)
}

// Event implements progress.Listener.
func (l *live) Event(e progress.Event) {
	always := false
	switch e.Event {
	case progress.RunStarted, progress.RunResumed:
		l.mu.Lock()
		l.id, l.name, l.epoch, l.epochs = e.RunID, e.RunName, e.Epoch, e.Epochs
		l.mu.Unlock()
		l.loss, l.head, l.tail, l.speed, l.results, l.digest = series{}, series{}, series{}, 0, nil, "" // from an earlier run
		l.pace = progress.Pace{}
		if e.Event == progress.RunStarted { // the first epoch of a resumed run may be the rest of one
			l.pace.Begin(e.Epoch, l.now())
		}
		l.title = fmt.Sprintf("%s (%s) on %s", sphere.Title(e.Model), e.Variant, e.Data)
		l.phase, always = "training", true
		if e.Event == progress.RunResumed {
			l.replay(e.RunID, e.Epoch)
		}
	case progress.EpochDone:
		l.mu.Lock()
		l.epoch = e.Epoch
		l.mu.Unlock()
		l.phase = "training" // after a long validation
		l.pace.Reach(e.Epoch, l.now())
		l.speed = e.Metrics["system/steps_per_second"]
		l.loss.add(e.Epoch, e.Metrics["loss"])
	case progress.Validated:
		l.head.add(e.Epoch, e.Metrics["valid/head_f1"])
		l.tail.add(e.Epoch, e.Metrics["valid/tail_f1"])
	case progress.Searching:
		l.done, l.total = e.Done, e.Total
		l.phase = fmt.Sprintf("%s: %s of %s", e.Message, quantity.Commas(e.Done), quantity.Commas(e.Total))
		l.title = fmt.Sprintf("%s (%s) on %s", sphere.Title(e.Model), e.Variant, e.Data)
	case progress.Evaluating:
		l.phase, l.done, l.total = cmp.Or(e.Message, "evaluating"), e.Done, e.Total
	case progress.Note, progress.Stopped:
		l.notes = append(l.notes, fromHere(e.Message))
	case progress.RunFinished:
		l.phase, l.results, l.digest, always = "finished", e.Metrics, e.Digest, true
	default:
		return
	}
	l.draw(always)
}

// fromHere makes paths relative to the current folder.
func fromHere(text string) string {
	here, err := filepath.Abs(".")
	if err != nil || filepath.Dir(here) == here {
		return text
	}
	return strings.ReplaceAll(text, here+string(filepath.Separator), "")
}

// replay adds what the run logged before it was interrupted.
func (l *live) replay(runID string, upTo int) {
	if l.history == nil {
		return
	}
	for key, s := range map[string]*series{"loss": &l.loss, "valid/head_f1": &l.head, "valid/tail_f1": &l.tail} {
		epochs, values := l.history(runID, key)
		for i, epoch := range epochs {
			if int(epoch) <= upTo {
				s.add(int(epoch), values[i])
			}
		}
	}
}

// fail shows that a training did not finish. The cell's error has the message.
func (l *live) fail(e *Error) {
	if l.renders == 0 {
		return // nothing is displayed yet
	}
	l.phase = "stopped"
	if e.Name == Interrupted {
		l.phase = "interrupted"
	}
	l.draw(true)
}

// pause shows that a training stopped at the chosen epoch.
func (l *live) pause() {
	l.phase = "stopped as requested, saved"
	l.draw(true)
}

// draw shows the current state if a picture is due.
func (l *live) draw(always bool) {
	start := l.now()
	// The last picture must still fit after this one.
	affordable := (l.spent+2*l.cost)*showCost <= start.Sub(l.began)
	if !always && (start.Sub(l.drawn) < showEvery || !affordable) {
		return
	}
	l.show(map[string]interface{}{"text/html": l.html(), "text/plain": l.text()})
	end := l.now()
	l.renders++
	l.drawn, l.cost = end, end.Sub(start)
	l.spent += l.cost
}

func (l *live) share() float64 {
	switch {
	case l.phase == "evaluating" && l.total > 0:
		return float64(l.done) / float64(l.total)
	case l.epochs == 0:
		return 0
	}
	return float64(l.epoch) / float64(l.epochs)
}

// text returns the state in one line, then the notes.
func (l *live) text() string {
	heading := cmp.Or(l.title, "training")
	if l.id != "" { // the search for gamma comes before the run
		heading += fmt.Sprintf(", run %s (%s)", tracker.ShortID(l.id), l.name)
	}
	lines := []string{heading + ": " + l.status()}
	if l.above != nil {
		if text, _ := l.above(); text != "" {
			lines = append([]string{text}, lines...)
		}
	}
	return strings.Join(append(lines, l.notes...), "\n")
}

// status returns the progress in words.
func (l *live) status() string {
	var parts []string
	if l.id != "" {
		parts = append(parts, fmt.Sprintf("epoch %d of %d", l.epoch, l.epochs))
	}
	if n := len(l.loss.y); n > 0 {
		parts = append(parts, fmt.Sprintf("loss %.4f", l.loss.y[n-1]))
	}
	if n := len(l.head.y); n > 0 && l.results == nil {
		parts = append(parts, fmt.Sprintf("validation: head F1 %.3f, tail F1 %.3f", l.head.y[n-1], l.tail.y[n-1]))
	}
	switch l.phase {
	case "training":
		if l.speed > 0 && !math.IsInf(l.speed, 0) {
			parts = append(parts, fmt.Sprintf("%.0f steps/s", l.speed))
		}
		if left, known := l.pace.Left(l.epochs); known && l.epoch < l.epochs {
			parts = append(parts, quantity.Seconds(left.Seconds())+" left")
		}
	case "evaluating", "validating", "calibrating", "fitting":
		if l.total > 1 {
			parts = append(parts, fmt.Sprintf("%s, %s of %s queries", l.phase, quantity.Commas(l.done), quantity.Commas(l.total)))
		} else {
			parts = append(parts, l.phase)
		}
	case "finished":
		parts = append(parts, "finished in "+quantity.Seconds(l.now().Sub(l.began).Seconds()))
		if f, ok := l.results["test/head_f1"]; ok {
			parts = append(parts, fmt.Sprintf("test: head F1 %.3f, tail F1 %.3f", f, l.results["test/tail_f1"]))
		}
	default:
		parts = append(parts, l.phase)
	}
	return strings.Join(parts, " · ")
}

func (l *live) html() string {
	var m markup
	m.open("div", cardBox)
	var results *chart.Chart
	if l.above != nil {
		var text string
		text, results = l.above()
		m.element("div", faint, text)
	}
	m.open("div", "")
	m.element("span", "font-weight:600", l.title)
	if l.id != "" {
		m.element("span", faint, fmt.Sprintf("  run %s (%s)", tracker.ShortID(l.id), l.name))
	}
	m.raw("</div>")
	colour := blue
	switch l.phase {
	case "finished":
		colour = green
	case "interrupted", "stopped":
		colour = red
	}
	m.bar(l.share(), "32em;max-width:100%", colour)
	m.element("div", "font-variant-numeric:tabular-nums", l.status())
	for _, note := range l.notes {
		m.element("div", "font-size:90%;"+faint, note)
	}
	m.open("div", "display:flex;flex-wrap:wrap;gap:.5em;margin-top:.4em")
	if results != nil {
		m.chart(*results)
	}
	if len(l.loss.y) > 1 {
		m.chart(chart.Line(chart.Options{Title: "loss", XLabel: "epoch", Width: 330, Height: 220},
			chart.Series{Name: "loss", X: l.loss.x, Y: l.loss.y}))
	}
	if len(l.head.y) > 0 {
		m.chart(chart.Line(chart.Options{Title: "F1 of validation", XLabel: "epoch", Width: 330, Height: 220},
			chart.Series{Name: "head F1", X: l.head.x, Y: l.head.y},
			chart.Series{Name: "tail F1", X: l.tail.x, Y: l.tail.y}))
	}
	m.raw("</div></div>")
	return m.String()
}

// chart draws a chart, unless it cannot be drawn: a loss of infinities, for example. The SVG is an image and not part
// of the markup: in a notebook that its reader has not run, JupyterLab removes SVG elements and keeps their text.
func (m *markup) chart(c chart.Chart) {
	if svg, err := c.SVG(); err == nil {
		w, h := c.Size()
		m.raw(fmt.Sprintf(`<img width="%d" height="%d" alt="`, w, h))
		m.text(c.Title)
		m.raw(`" src="data:image/svg+xml;base64,`, base64.StdEncoding.EncodeToString(svg), `">`)
	}
}
