package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
)

// Grid returns the table laid out for a format.
func (t dimensionTable) Grid(format string) *Grid {
	switch format {
	case "json":
		return &Grid{Records: t}
	case "csv":
		return t.wide()
	}
	g := &Grid{Title: "SpherE by dimension, variant clean, test triples of small graphs",
		Columns: []Column{{Key: "graph"}, {Key: "same"}, {Key: "model"},
			{Key: "blocks", Right: true, LeaveOut: 1}, {Key: "parameters", Heading: "para-\nmeters", Right: true},
			{Key: "rate", Right: true, LeaveOut: 2}}}
	for _, m := range dimensionMeasures {
		g.Columns = append(g.Columns, Column{Key: m.key, Heading: m.heading})
	}
	for i, row := range t {
		cells := []string{row.Graph, row.Same, sphere.Title(row.Model), strconv.Itoa(row.Blocks),
			strconv.Itoa(row.Parameters), quantity.Exact(row.Rate)}
		if len(row.Runs) == 0 {
			cells[4], cells[5] = "", ""
		}
		if i > 0 {
			before := t[i-1]
			switch {
			case row.Graph != before.Graph || row.Same != before.Same:
				g.Rules = append(g.Rules, i)
			default:
				cells[0], cells[1] = "", ""
			}
		}
		for k := range dimensionMeasures {
			cells = append(cells, row.cell(k))
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Notes = t.notes()
	return g
}

// cell returns a mean, half its interval, and an arrow if the row is clearly above or below the plane's.
func (r dimensionRow) cell(k int) string {
	switch {
	case len(r.Runs) == 0 && k == 0:
		return "missing"
	case len(r.Runs) == 0:
		return "-"
	}
	text := quantity.Fraction(r.Means[k].Mean, 3)
	if i := r.Means[k].Interval; i != nil {
		text += " ±" + quantity.Fraction((i.High-i.Low)/2, 3)
	}
	return strings.TrimSpace(text + " " + r.arrow(k))
}

// arrow returns an arrow if the interval of the difference to the plane leaves out 0.
func (r dimensionRow) arrow(k int) string {
	d := r.Differences[k]
	switch {
	case d == nil || d.Interval == nil:
		return ""
	case d.Interval.Low > 0:
		return "↑"
	case d.Interval.High < 0:
		return "↓"
	}
	return "="
}

func (t dimensionTable) notes() []hint.Note {
	seeds, missing := []int{}, 0
	for _, row := range t {
		switch n := len(row.Runs); {
		case n == 0:
			missing++
		case !slices.Contains(seeds, n):
			seeds = append(seeds, n)
		}
	}
	slices.Sort(seeds)
	notes := []hint.Note{
		note(fmt.Sprintf("numbers: means over seeds (%s) with half the 95 %% interval of the mean, by Student's "+
			"distribution.", strings.Trim(fmt.Sprint(seeds), "[]"))),
		note(fmt.Sprintf("↑ ↓: the 95 %% interval of the difference to %s, paired by seed, leaves out 0; = does not. "+
			"There is no correction for the number of comparisons.", sphere.Title(sphere.SpherE2D))),
		note(fmt.Sprintf("same: what the compared rows share. With the same %s, relations have more numbers in more "+
			"dimensions; with the same number of %s, entities have fewer.", sameEntity, sameTotal)),
		note("F1: mean of head and tail queries at the widened spheres. fitted F1, novel F1: at thresholds by relation and " +
			"side, fitted on validation for each; novel F1 leaves out the known answers. MRR is filtered."),
		note("rate: the learning rate, of those that were tried the one with the best validation MRR."),
	}
	if slices.ContainsFunc(t, func(r dimensionRow) bool { return r.Embedded }) {
		notes = append(notes, note("Embedded results are shown where this tracker has fewer seeds or learning rates."))
	}
	if missing > 0 {
		notes = append(notes, note(fmt.Sprintf("missing: %d rows of the sweep have no run.", missing),
			hint.Hint{Action: hint.TrainDimensions}))
	}
	return notes
}

func (r dimensionRow) runIDs() []string {
	ids := []string{}
	for _, run := range r.Runs {
		ids = append(ids, run.Stored.ID)
	}
	return ids
}

// MarshalJSON writes a row; a difference that is not known is null.
func (r dimensionRow) MarshalJSON() ([]byte, error) {
	object := jsonvalue.Object{{Key: "graph", Value: r.Graph}, {Key: "same", Value: r.Same},
		{Key: "model", Value: sphere.Title(r.Model)}, {Key: "blocks", Value: r.Blocks},
		{Key: "numbers_per_entity", Value: r.PerEntity}, {Key: "parameters", Value: r.Parameters},
		{Key: "learning_rate", Value: r.Rate}, {Key: "learning_rates_tried", Value: r.Rates},
		{Key: "seeds", Value: len(r.Runs)}}
	for k, m := range dimensionMeasures {
		if len(r.Runs) == 0 {
			break
		}
		object = append(object, jsonvalue.Member{Key: m.key, Value: r.Means[k].object()})
		if r.Differences[k] != nil {
			object = append(object, jsonvalue.Member{Key: m.key + "_over_2d", Value: r.Differences[k].object()})
		}
	}
	return append(object, jsonvalue.Member{Key: "run_ids", Value: r.runIDs()}).MarshalJSON()
}

func (m seedMean) object() jsonvalue.Object {
	object := jsonvalue.Object{{Key: "mean", Value: m.Mean}}
	if m.Interval != nil {
		object = append(object, jsonvalue.Member{Key: "low", Value: m.Interval.Low},
			jsonvalue.Member{Key: "high", Value: m.Interval.High})
	}
	return object
}

// wide returns a line per row. Unknown numbers are empty.
func (t dimensionTable) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "graph"}, {Key: "same"}, {Key: "model"}, {Key: "blocks"},
		{Key: "numbers_per_entity"}, {Key: "parameters"}, {Key: "learning_rate"}, {Key: "seeds"}}}
	for _, m := range dimensionMeasures {
		for _, end := range []string{"", "_low", "_high", "_over_2d", "_over_2d_low", "_over_2d_high"} {
			g.Columns = append(g.Columns, Column{Key: m.key + end})
		}
	}
	g.Columns = append(g.Columns, Column{Key: "run_ids"})
	for _, r := range t {
		cells := []string{r.Graph, r.Same, sphere.Title(r.Model), strconv.Itoa(r.Blocks), strconv.Itoa(r.PerEntity),
			strconv.Itoa(r.Parameters), quantity.Exact(r.Rate), strconv.Itoa(len(r.Runs))}
		for k := range dimensionMeasures {
			if len(r.Runs) == 0 {
				cells = append(cells, "", "", "", "", "", "")
				continue
			}
			cells = append(cells, r.Means[k].cells()...)
			if r.Differences[k] == nil {
				cells = append(cells, "", "", "")
			} else {
				cells = append(cells, r.Differences[k].cells()...)
			}
		}
		g.Rows = append(g.Rows, append(cells, strings.Join(r.runIDs(), " ")))
	}
	return g
}

// cells returns the mean and the ends of its interval.
func (m seedMean) cells() []string {
	if m.Interval == nil {
		return []string{quantity.Exact(m.Mean), "", ""}
	}
	return []string{quantity.Exact(m.Mean), quantity.Exact(m.Interval.Low), quantity.Exact(m.Interval.High)}
}
