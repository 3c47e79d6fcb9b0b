package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// ablationTable shows what radii and fitted thresholds add.
type ablationTable []ablationRow

// ablationRow is one cut with radii off and on.
type ablationRow struct {
	Graph    string
	Off, On  Row    // the model of points and the model of spheres, at the same cut; a row may be missing
	Unlike   string // how the runs differ otherwise, such as "train.epochs 300 and 2"; then nothing is subtracted
	Embedded bool   // from the embedded results
	notes    []hint.Note
}

// buildAblation compares the models of points with the models of spheres, graph by graph, at the fixed margin and at
// each fitted threshold. The numbers are those of the result tables. If both models have runs with the same seeds, only
// these are compared. Graphs without logged runs are left out.
func buildAblation(ctx context.Context, _ string, s Sources, o Options) (Layout, error) {
	var rows ablationTable
	graphs := append(slices.Clone(paperGraphs), config.BundledName)
	for _, graph := range graphs {
		t, err := BuildResultTable(ctx, graph, s, Options{Variant: o.Variant})
		var none *NoRunsError
		if errors.As(err, &none) || err == nil && len(t.groups) == 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, model := range sphere.Models() {
			if points := sphere.PointsOf(model); points != "" {
				rows = append(rows, t.ablation(points, model)...)
			}
		}
	}
	if len(rows) == 0 {
		runs := "finished run"
		if o.Variant != "" {
			runs += " of variant " + o.Variant
		}
		err := fmt.Errorf("no %s on %s is logged in this tracker", runs, strings.Join(graphs, ", "))
		return nil, hint.With(err, hint.Hint{Action: hint.TrainConfig})
	}
	return rows, nil
}

// ablation compares two models of the table at every cut that applies to both.
func (t *ResultTable) ablation(off, on string) []ablationRow {
	offRuns, onRuns := t.group(off), t.group(on)
	all := len(offRuns) + len(onRuns)
	offRuns, onRuns = pairSeeds(offRuns, onRuns)
	var notes []hint.Note
	if alone := all - len(offRuns) - len(onRuns); alone > 0 {
		notes = append(notes, note(fmt.Sprintf("%s: left out %d of the runs of %s and %s in the table of results: "+
			"the other model has no run with the same seed.",
			t.Graph, alone, sphere.Title(off), sphere.Title(on))))
	}
	for _, n := range t.unshown() {
		notes = append(notes, note(t.Graph+": "+n.Text, n.List...))
	}
	for _, run := range slices.Concat(offRuns, onRuns) {
		text := fmt.Sprintf("runs: %s, %s: %s", t.Graph, sphere.Title(run.Model), run.ShortID())
		if run.Seed != "" {
			text += ", seed " + run.Seed
		}
		notes = append(notes, note(text+t.unlikeText(run)+", "+run.Cost.String()))
	}
	find := func(model string, runs []Run, c eval.Cut) Row {
		missing := Row{Model: sphere.Title(model), Cut: c, Variant: t.Variant, Protocol: protocolClean}
		if len(runs) == 0 {
			return missing
		}
		rows, _ := t.rowsOf(runs)
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.class() == missing.class() }); i >= 0 {
			return rows[i]
		}
		return missing
	}
	var rows []ablationRow
	for _, c := range expectedCuts() {
		if c.Kind() == eval.KindTopMean {
			continue
		}
		row := ablationRow{Graph: t.Graph, Off: find(off, offRuns, c), On: find(on, onRuns, c),
			Unlike: unlikeRuns(offRuns, onRuns), Embedded: t.isEmbedded, notes: notes}
		if !row.Off.Missing() || !row.On.Missing() {
			rows = append(rows, row)
		}
	}
	return rows
}

// group returns the runs of a model in the variant of the table.
func (t *ResultTable) group(model string) []Run {
	for _, g := range t.groups {
		if g[0].modelVariant() == (modelVariant{model, t.Variant}) {
			return g
		}
	}
	return nil
}

// pairSeeds keeps the runs whose seed both sides have, in the order of a. Without a common seed all stay.
func pairSeeds(a, b []Run) (x, y []Run) {
	for _, run := range a {
		if i := slices.IndexFunc(b, func(other Run) bool { return other.Seed == run.Seed }); i >= 0 {
			x, y = append(x, run), append(y, b[i])
		}
	}
	if len(x) == 0 {
		return a, b
	}
	return x, y
}

// radiiKeys are the keys in which models of points and models of spheres may differ.
var radiiKeys = []string{"model", "tau", "alpha", "beta"}

// unlikeRuns returns how the runs of two models differ besides the radii, "" if they do not or if one side has no run.
func unlikeRuns(off, on []Run) string {
	if len(off) == 0 || len(on) == 0 {
		return ""
	}
	var parts []string
	for _, d := range differences(off[0], on[0]) {
		if !slices.Contains(radiiKeys, d.key) && !strings.HasPrefix(d.key, "eval.") {
			parts = append(parts, fmt.Sprintf("%s %s and %s", d.key, cmp.Or(d.a, "unset"), cmp.Or(d.b, "unset")))
		}
	}
	return strings.Join(parts, ", ")
}

// difference returns what the radii add to a metric, if both rows have logged it.
func (r ablationRow) difference(m Metric) *float64 {
	off, inOff := r.Off.Numbers[m]
	on, inOn := r.On.Numbers[m]
	if !inOff || !inOn || r.Unlike != "" {
		return nil
	}
	d := on.Value - off.Value
	return &d
}

// MarshalJSON writes both rows and their difference.
func (r ablationRow) MarshalJSON() ([]byte, error) {
	var differences jsonvalue.Object
	for _, m := range cutMetrics() {
		differences = append(differences, jsonvalue.Member{Key: m.String(), Value: optional(r.difference(m))})
	}
	return jsonvalue.Object{{Key: "graph", Value: r.Graph}, {Key: "cut", Value: r.Off.CutName()},
		{Key: "variant", Value: r.Off.Variant}, {Key: "radii_off", Value: r.Off}, {Key: "radii_on", Value: r.On},
		{Key: "unlike", Value: r.Unlike}, {Key: "difference", Value: differences}}.MarshalJSON()
}

// ablationMetrics are the columns of numbers.
var ablationMetrics = []Metric{HeadF1, TailF1, HeadRR, TailRR, NNF1, HeadNovelF1, TailNovelF1, HeadUnionF1, TailUnionF1}

// ablationHeadings are their headings for people.
var ablationHeadings = []string{"head F1", "tail F1", "head RR", "tail RR", "n-n F1", "head novel", "tail novel",
	"head union", "tail union"}

// Grid returns the ablation laid out for a format.
func (t ablationTable) Grid(format string) *Grid {
	switch format {
	case "json":
		return &Grid{Records: t}
	case "csv":
		return t.wide()
	}
	g := &Grid{Title: "What the radii add, at the fixed margin and at fitted thresholds",
		Columns: []Column{{Key: "graph"}, {Key: "cut"}, {Key: "variant"}, {Key: "radii"}, {Key: "model"}}}
	for _, heading := range ablationHeadings {
		g.Columns = append(g.Columns, Column{Key: heading, Right: true})
	}
	for i, row := range t {
		if i > 0 {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		off := []string{row.Graph, row.Off.CutName(), row.Off.Variant, "off", row.Off.Model}
		on := []string{"", "", "", "on", row.On.Model}
		add := []string{"", "", "", "add", ""}
		for j, m := range ablationMetrics {
			off, on = append(off, ablationCell(row.Off, m, j == 0)), append(on, ablationCell(row.On, m, j == 0))
			text := ""
			if d := row.difference(m); d != nil {
				text = signed(*d)
			}
			add = append(add, text)
		}
		g.Rows = append(g.Rows, off, on, add)
	}
	g.Notes = t.notes()
	return g
}

func ablationCell(row Row, m Metric, isFirst bool) string {
	if n, ok := row.Numbers[m]; ok {
		return quantity.Fraction(n.Value, 3)
	}
	if isFirst && row.Missing() {
		return "missing"
	}
	return "-"
}

// wide returns a line for each of the two models.
func (t ablationTable) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "graph"}, {Key: "cut"}, {Key: "variant"}, {Key: "radii"}, {Key: "model"},
		{Key: "run_ids"}}}
	for _, m := range ablationMetrics {
		g.Columns = append(g.Columns, Column{Key: m.String()})
	}
	g.Columns = append(g.Columns, Column{Key: "unlike"}, Column{Key: "unlike_config"})
	for _, row := range t {
		for k, side := range []Row{row.Off, row.On} {
			cells := []string{row.Graph, row.Off.CutName(), row.Off.Variant, []string{"off", "on"}[k], side.Model,
				strings.Join(side.RunIDs, " ")}
			for _, m := range ablationMetrics {
				text := ""
				if n, ok := side.Numbers[m]; ok {
					text = quantity.Exact(n.Value)
				}
				cells = append(cells, text)
			}
			g.Rows = append(g.Rows, append(cells, row.Unlike, side.Unlike))
		}
	}
	return g
}

// notes returns explanations of the table, each once.
func (t ablationTable) notes() []hint.Note {
	notes := []hint.Note{
		note("add: with radii minus without, of the logged numbers; if both models have runs with the same seeds, "+
			"of these only, averaged first. Intervals need the answers to each query, which are not logged; "+
			"they can be computed where both checkpoints are.", hint.Hint{Action: hint.CompareRuns}),
		note("fitted-: one threshold per relation and side; fitted-side-: one per side; " +
			"fitted on the validation triples, for each model its own."),
	}
	add := func(n hint.Note) {
		if !slices.ContainsFunc(notes, func(o hint.Note) bool { return o.Text == n.Text }) {
			notes = append(notes, n)
		}
	}
	for _, row := range t {
		if row.Unlike != "" {
			add(note(fmt.Sprintf("NOT SUBTRACTED, %s: %s and %s differ in more than radii: %s.", row.Graph,
				row.Off.Model,
				row.On.Model, row.Unlike)))
		}
	}
	if slices.ContainsFunc(t, func(r ablationRow) bool { return r.Embedded }) {
		add(note("These are the embedded results for graphs on which nothing is logged in this tracker.",
			hint.Hint{Action: hint.ImportResults}))
	}
	for _, row := range t {
		for _, n := range row.notes {
			add(n)
		}
	}
	add(note(costNote))
	return notes
}
