package evidence

import (
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/internal/visible"
)

// Title is the heading of the evidence, with the probabilities that it has.
func (e *Evidence) Title() string {
	title := "evidence counted in the graph, apart from the model"
	switch e.Source {
	case FromModel:
		title = "evidence that the model counts"
	case FromNetwork:
		title = "evidence that the model reads"
	}
	if e.Probability != nil {
		title += fmt.Sprintf(": probability %.3f", *e.Probability)
		if e.WithoutAll != nil {
			title += fmt.Sprintf(", without all of these facts %.3f", *e.WithoutAll)
		}
	}
	return title
}

// Heading is what reasons of a kind are called.
func (k Kind) Heading() string {
	switch k {
	case Rule:
		return "rules"
	case Neighbour:
		return "neighbours"
	}
	return "paths that carried the score"
}

// Measure is what the confidence of reasons of a kind is called.
func (k Kind) Measure() string {
	switch k {
	case Rule:
		return "confidence"
	case Neighbour:
		return "similarity"
	}
	return "share"
}

// None says that there are no reasons.
const None = "none: no rule leads to the fact, and of no similar entity the same is known"

// Numbers are those of a reason as text: "confidence 0.430, without 0.287".
func (r *Reason) Numbers() string {
	text := fmt.Sprintf("%s %.3f", r.Kind.Measure(), r.Confidence)
	if r.Without != nil {
		text += fmt.Sprintf(", without %.3f", *r.Without)
	}
	return text
}

// WriteText writes the evidence for people.
func (e *Evidence) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(e.Title() + "\n")
	for _, kind := range Kinds() {
		reasons := e.Of(kind)
		if len(reasons) == 0 {
			continue
		}
		b.WriteString("  " + kind.Heading() + "\n")
		for _, r := range reasons {
			fmt.Fprintf(&b, "    %s  %s\n", r.Numbers(), visible.Line(r.Text))
		}
	}
	if len(e.Reasons) == 0 {
		b.WriteString("  (" + None + ")\n")
	}
	for _, note := range e.Notes {
		b.WriteString("  note: " + visible.Line(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
