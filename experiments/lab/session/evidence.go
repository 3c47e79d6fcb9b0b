package session

import (
	"fmt"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/evidence"
)

// evidence shows the facts that support a fact.
func (m *markup) evidence(e *evidence.Evidence) {
	if e == nil {
		return
	}
	m.element("div", "margin-top:.6em;font-weight:600", e.Title())
	for _, kind := range evidence.Kinds() {
		g := &results.Grid{Columns: []results.Column{{Key: kind.Heading()}, {Key: kind.Measure(), Right: true}}}
		if e.Probability != nil {
			g.Columns = append(g.Columns, results.Column{Key: "probability without", Right: true})
		}
		for _, r := range e.Of(kind) {
			line := []string{r.Text, fmt.Sprintf("%.3f", r.Confidence)}
			if r.Without != nil {
				line = append(line, fmt.Sprintf("%.3f", *r.Without))
			}
			g.Rows = append(g.Rows, line)
		}
		if len(g.Rows) > 0 {
			m.grid(g)
		}
	}
	if len(e.Reasons) == 0 {
		m.element("div", "", evidence.None)
	}
	for _, note := range e.Notes {
		m.element("div", faint, note)
	}
}
