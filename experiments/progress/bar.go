package progress

import (
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// training is the label of a training's bar.
const training = "training"

// Bar draws a bar per run on a terminal. Call Close before writing anything else to the same terminal.
type Bar struct {
	w     io.Writer
	width int
	pool  *mpb.Progress
	bar   *mpb.Bar
	text  chan string
	label string
	pace  Pace
}

// NewBar draws on w, a terminal of the given width.
func NewBar(w io.Writer, width int) *Bar {
	return &Bar{w: w, width: width}
}

// Event moves the bar or writes a line above it.
func (p *Bar) Event(e Event) {
	switch e.Event {
	case RunStarted, RunResumed:
		p.Close()
		fmt.Fprintln(p.w, eventText(e))
		p.open(training, e.Epochs)
		p.bar.SetCurrent(int64(e.Epoch))
		if e.Event == RunStarted { // the first epoch of a resumed run may be the rest of one
			p.pace.Begin(e.Epoch, e.Time)
		}
	case EpochDone:
		if p.bar == nil {
			return
		}
		p.pace.Reach(e.Epoch, e.Time)
		p.say(fmt.Sprintf("loss %.4f  %s", e.Metrics["loss"], speedText(e.Metrics["system/steps_per_second"])) +
			p.left(e.Epochs))
		p.bar.SetCurrent(int64(e.Epoch))
	case Validated:
		if p.pool != nil {
			fmt.Fprintln(p.pool, eventText(e))
		}
	case Stopped:
		p.Close()
		fmt.Fprintln(p.w, eventText(e))
	case Note, Settled:
		if p.pool != nil {
			fmt.Fprintln(p.pool, eventText(e))
		} else {
			fmt.Fprintln(p.w, eventText(e))
		}
	case Evaluating, Searching:
		if e.Message == Validating && p.label == training && p.bar != nil { // the training's bar stays
			p.say(fmt.Sprintf("validating %d/%d", e.Done, e.Total))
			return
		}
		label := "evaluating"
		if _, named := doneTexts[e.Message]; named || e.Event == Searching {
			label = e.Message
		}
		if p.bar == nil || e.Done == 0 || label != p.label {
			p.Close()
			p.open(label, e.Total)
		}
		p.pace.Reach(e.Done, e.Time)
		p.say(p.left(e.Total))
		p.bar.SetCurrent(int64(e.Done))
		if e.Done >= e.Total {
			p.Close()
		}
	case RunFinished:
		p.Close()
		fmt.Fprintln(p.w, eventText(e))
	case RunEnded:
		p.Close()
	}
}

func (p *Bar) open(label string, total int) {
	p.label, p.pace = label, Pace{}
	p.text = make(chan string, 1)
	var shown string
	text := p.text
	p.pool = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh(), mpb.WithWidth(max(20, min(p.width-60, 40))))
	p.bar = p.pool.New(int64(total), mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.PrependDecorators(decor.Name("  "+label+strings.Repeat(" ", max(0, 11-len(label)))),
			decor.CountersNoUnit("%d/%d ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			// The drawing goroutine takes the newest text.
			select {
			case shown = <-text:
			default:
			}
			return " " + shown + " "
		})))
}

// left returns the estimated time for the rest, "" before anything was measured.
func (p *Bar) left(total int) string {
	left, known := p.pace.Left(total)
	if !known {
		return ""
	}
	return "  " + quantity.Seconds(left.Seconds()) + " left"
}

// say sets the text to the right of the bar.
func (p *Bar) say(text string) {
	select {
	case <-p.text:
	default:
	}
	p.text <- text
}

// Close ends the drawing and leaves the last picture on the terminal.
func (p *Bar) Close() {
	if p.pool == nil {
		return
	}
	if !p.bar.Completed() {
		p.bar.Abort(false)
	}
	p.pool.Wait()
	p.pool, p.bar = nil, nil
}
