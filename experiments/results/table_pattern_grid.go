package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
)

// verdict returns a tick or a cross.
func verdict(hasTick bool) string {
	if hasTick {
		return "✓"
	}
	return "×"
}

// Grid returns the table laid out for a format: for people a row per pattern and two columns per model, for machines a
// record per pattern and model.
func (t patternTable) Grid(format string) *Grid {
	switch format {
	case "json":
		return &Grid{Records: t.cells}
	case "csv":
		return t.wide()
	}
	g := &Grid{Title: "Inference patterns: what models return of held-out triples that follow from training",
		Columns: []Column{{Key: "pattern"}}}
	for _, model := range t.models {
		g.Columns = append(g.Columns, Column{Key: sphere.Title(model)})
		if slices.ContainsFunc(t.cells, func(c patternCell) bool { return c.Model == model && c.Paper != nil }) {
			g.Columns = append(g.Columns, Column{Key: "paper"})
		}
	}
	for i := 0; i < len(t.cells); i += len(t.models) {
		row := []string{t.cells[i].row()}
		for _, c := range t.cells[i : i+len(t.models)] {
			row = append(row, c.text())
			if slices.ContainsFunc(t.cells, func(o patternCell) bool { return o.Model == c.Model && o.Paper != nil }) {
				row = append(row, c.paperText())
			}
		}
		g.Rows = append(g.Rows, row)
	}
	g.Notes = t.notes()
	return g
}

// row returns the name of the cell's row: the line of the paper's table, and which of its mapping properties.
func (c patternCell) row() string {
	if strings.HasPrefix(c.Printed, "RMP") {
		return c.Printed + ", " + c.Pattern.Name
	}
	return c.Printed
}

// text returns the cell for people: verdict, F1, share of distractors.
func (c patternCell) text() string {
	if len(c.Runs) == 0 {
		return "missing"
	}
	numbers := quantity.Fraction(c.F1, 3) + " / " + quantity.Fraction(c.Wrong, 3)
	if !c.complete() {
		return fmt.Sprintf("%d seeds: %s", len(c.Runs), numbers)
	}
	return verdict(c.tick()) + " " + numbers
}

func (c patternCell) paperText() string {
	if c.Paper == nil {
		return ""
	}
	text := verdict(*c.Paper)
	if c.differs() {
		text += " ≠"
	}
	return text
}

func (t patternTable) notes() []hint.Note {
	f1, wrong := quantity.Fraction(leastF1, 3), quantity.Fraction(maxDistractors, 3)
	notes := []hint.Note{
		note(fmt.Sprintf("✓: with each of %d seeds or more, F1 is at least %s and at most %s of the distractors are "+
			"returned. A seed draws a graph and a training.", patternSeeds, f1, wrong)),
		note("numbers: the lowest F1 over seeds, of head or tail queries / the highest share of distractors over seeds. " +
			"The F1 leaves out the known answers of a query. The cut is the model's own criterion, without fitting."),
		note(fmt.Sprintf("paper: its table %q, for SpherE alone; ≠ marks where the verdicts differ.", t.label)),
	}
	for _, c := range t.cells {
		if c.differs() {
			text := fmt.Sprintf("≠ %s, %s: %s here (%d of %d seeds pass), %s in the paper.", c.row(),
				sphere.Title(c.Model), verdict(c.tick()), c.Passed, len(c.Runs), verdict(*c.Paper))
			if found := findingOf(t.findings, c.runIDs()); found != "" {
				text += " " + found
			}
			notes = append(notes, note(text))
		}
	}
	if slices.ContainsFunc(t.cells, func(c patternCell) bool { return c.Embedded }) {
		notes = append(notes, note("Embedded results are shown where this tracker has too few seeds for a verdict."))
	}
	unlike, missing := 0, 0
	for _, c := range t.cells {
		unlike += len(c.Unlike)
		if !c.complete() {
			missing++
		}
	}
	if unlike > 0 {
		notes = append(notes, note(fmt.Sprintf("left out: %d runs with other settings than the embedded config %s.",
			unlike, config.Pattern)))
	}
	if missing > 0 {
		notes = append(notes, note(fmt.Sprintf("%d verdicts are missing: they have fewer than %d seeds.", missing,
			patternSeeds), hint.Hint{Action: hint.TrainPatterns}))
	}
	return notes
}

// numbers returns the numbers of a cell, nil without runs.
func (c patternCell) numbers() (f1, wrong *float64) {
	if len(c.Runs) == 0 {
		return nil, nil
	}
	return &c.F1, &c.Wrong
}

func (c patternCell) runIDs() []string {
	ids := []string{}
	for _, run := range c.Runs {
		ids = append(ids, run.Stored.ID)
	}
	return ids
}

// MarshalJSON writes the cell; what is not known is null.
func (c patternCell) MarshalJSON() ([]byte, error) {
	var tick *bool
	variant, cut := "", ""
	if c.complete() {
		verdict := c.tick()
		tick = &verdict
	}
	if len(c.Runs) > 0 {
		variant, cut = c.Runs[0].Variant, c.Runs[0].Criterion
	}
	f1, wrong := c.numbers()
	object := jsonvalue.Object{{Key: "pattern", Value: c.Pattern.Name}, {Key: "rule", Value: c.Pattern.Rule},
		{Key: "graph", Value: c.Pattern.GraphName()}, {Key: "model", Value: sphere.Title(c.Model)},
		{Key: "variant", Value: variant}, {Key: "cut", Value: cut}, {Key: "tick", Value: tick},
		{Key: "seeds", Value: len(c.Runs)}, {Key: "seeds_passed", Value: c.Passed}, {Key: "novel_f1", Value: f1},
		{Key: "distractors", Value: wrong}, {Key: "run_ids", Value: c.runIDs()}}
	if c.Paper != nil {
		object = append(object, jsonvalue.Member{Key: "paper", Value: jsonvalue.Object{{Key: "row", Value: c.Printed},
			{Key: "tick", Value: *c.Paper}}})
	}
	return object.MarshalJSON()
}

// wide returns a line per pattern and model.
func (t patternTable) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "pattern"}, {Key: "graph"}, {Key: "model"}, {Key: "variant"}, {Key: "cut"},
		{Key: "tick"}, {Key: "seeds"}, {Key: "seeds_passed"}, {Key: "novel_f1"}, {Key: "distractors"}, {Key: "run_ids"},
		{Key: "paper_tick"}}}
	for _, c := range t.cells {
		variant, cut, tick, f1, wrong, paper := "", "", "", "", "", ""
		if len(c.Runs) > 0 {
			variant, cut = c.Runs[0].Variant, c.Runs[0].Criterion
			f1, wrong = quantity.Exact(c.F1), quantity.Exact(c.Wrong)
		}
		if c.complete() {
			tick = strconv.FormatBool(c.tick())
		}
		if c.Paper != nil {
			paper = strconv.FormatBool(*c.Paper)
		}
		g.Rows = append(g.Rows, []string{c.Pattern.Name, c.Pattern.GraphName(), sphere.Title(c.Model), variant,
			cut, tick, strconv.Itoa(len(c.Runs)), strconv.Itoa(c.Passed), f1, wrong, strings.Join(c.runIDs(), " "), paper})
	}
	return g
}
