package results

import (
	"fmt"
	"slices"
)

// CutGrid returns a row per cut of a run's final evaluation and a column per metric that any of them has logged, with
// 95 % intervals if they are logged. It has no rows if the run was not evaluated.
func CutGrid(run Run) *Grid {
	g := &Grid{Title: "Results on the test triples, by cut", Columns: []Column{{Key: "cut"}}}
	metrics := slices.DeleteFunc(append(cutMetrics(), Distractors), func(m Metric) bool {
		return !slices.ContainsFunc(run.Cuts, func(c Cut) bool { _, ok := c.Numbers[m]; return ok })
	})
	for _, m := range metrics {
		g.Columns = append(g.Columns, Column{Key: m.String(), Right: true})
	}
	for i, c := range run.Cuts {
		name := c.Name()
		if i == 0 && name == run.Criterion {
			name += " (the run's own)"
		}
		cells := []string{name}
		for _, m := range metrics {
			cells = append(cells, c.Numbers.text(m))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// RankGrid returns the filtered ranks of both sides of a run's final evaluation, which do not depend on a cut. It has
// no rows if none is logged.
func RankGrid(run Run) *Grid {
	g := &Grid{Title: "Filtered ranks on the test triples", Columns: []Column{{Key: "metric"}, {Key: "value", Right: true}}}
	for m := MRR; m <= Hits10; m++ {
		if text := run.Primary.text(m); text != "" {
			g.Rows = append(g.Rows, []string{m.String(), text})
		}
	}
	return g
}

// text returns a number with its interval, "" if it is not logged.
func (n Numbers) text(m Metric) string {
	x, ok := n[m]
	if !ok {
		return ""
	}
	text := numberText(&x.Value, false)
	if x.Interval != nil {
		text += fmt.Sprintf(" [%s, %s]", numberText(&x.Interval.Low, false), numberText(&x.Interval.High, false))
	}
	return text
}
