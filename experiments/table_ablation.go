package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// AblationTableName is the table that says what radii and fitted thresholds add.
const AblationTableName = "ablation"

// ablationPairs are the models that differ in nothing but the radii.
var ablationPairs = [][2]string{{sphere.RotatE, sphere.SpherE2D}, {sphere.Rotate3D, sphere.SpherE3D}}

// AblationRow is one cut with radii off and on.
type AblationRow struct {
	Graph    string
	Off, On  Row    // the model of points and the model of spheres, at the same cut; a row may be missing
	Unlike   string // in what the runs of both differ besides the radii, as "train.epochs 300 and 2"; then they are not subtracted
	Embedded bool   // from the results inside the program
	notes    []string
}

// AblationTable sets the models of points beside the models of spheres, graph by graph: at the fixed margin and at each
// fitted threshold, from the rows of the result tables. Where both models have runs with the same seeds, only these are
// compared. Graphs on which nothing is logged are left out.
func AblationTable(ctx context.Context, r RunReader, o TableOptions) ([]AblationRow, error) {
	return ablationTable(ctx, r, EmbeddedResults, o)
}

func ablationTable(ctx context.Context, r RunReader, results func() ([]ArchiveFile, error), o TableOptions) ([]AblationRow, error) {
	var rows []AblationRow
	graphs := append(slices.Clone(paperGraphs), BundledName)
	for _, graph := range graphs {
		t, err := resultTable(ctx, r, results, graph, TableOptions{Variant: o.Variant})
		var none *NoRunsError
		if errors.As(err, &none) || err == nil && len(t.groups) == 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, pair := range ablationPairs {
			rows = append(rows, t.ablation(pair[0], pair[1])...)
		}
	}
	if len(rows) == 0 {
		runs := "finished run"
		if o.Variant != "" {
			runs += " of variant " + o.Variant
		}
		return nil, fmt.Errorf("no %s on %s is logged in this tracker; `spherelab train` makes some", runs, strings.Join(graphs, ", "))
	}
	return rows, nil
}

// ablation compares two models of the table at every cut that says something about radii.
func (t *ResultGrid) ablation(off, on string) []AblationRow {
	group := func(model string) []tracker.RunInfo {
		for _, g := range t.groups {
			if g[0].Params["model"] == model && g[0].Params["variant"] == t.Variant {
				return g
			}
		}
		return nil
	}
	offRuns, onRuns := pairSeeds(group(off), group(on))
	unlike := unlikeRuns(offRuns, onRuns)
	var notes []string
	if alone := len(group(off)) + len(group(on)) - len(offRuns) - len(onRuns); alone > 0 {
		notes = append(notes, fmt.Sprintf("%s, %s and %s: %d of the runs in the table of results %s no partner of the same seed and stood back.", t.Graph, ModelTitle(off), ModelTitle(on), alone, map[bool]string{true: "has", false: "have"}[alone == 1]))
	}
	for _, text := range t.unshown() {
		notes = append(notes, t.Graph+": "+text)
	}
	notes = append(notes, t.ablationNotes(offRuns, onRuns)...)
	find := func(model string, runs []tracker.RunInfo, cut string) Row {
		want := Row{Model: ModelTitle(model), Cut: cut, Variant: t.Variant, Protocol: ProtocolClean}
		if len(runs) == 0 {
			return want
		}
		found, _ := t.rowsOf(runs)
		for _, row := range found {
			if row.comparable() == want.comparable() {
				return row
			}
		}
		return want
	}
	var rows []AblationRow
	for _, cut := range append([]string{string(sphere.CriterionMargin)}, eval.FittedNames()...) {
		row := AblationRow{Graph: t.Graph, Off: find(off, offRuns, cut), On: find(on, onRuns, cut), Unlike: unlike, Embedded: t.embedded, notes: notes}
		if !row.Off.Missing() || !row.On.Missing() {
			rows = append(rows, row)
		}
	}
	return rows
}

// pairSeeds keeps the runs whose seed both sides have, in the order of a. Without a common seed all stay.
func pairSeeds(a, b []tracker.RunInfo) (x, y []tracker.RunInfo) {
	common := func(runs, others []tracker.RunInfo) []tracker.RunInfo {
		return slices.DeleteFunc(slices.Clone(runs), func(run tracker.RunInfo) bool {
			return !slices.ContainsFunc(others, func(o tracker.RunInfo) bool { return o.Params["seed"] == run.Params["seed"] })
		})
	}
	if x, y = common(a, b), common(b, a); len(x) == 0 {
		return a, b
	}
	position := func(run tracker.RunInfo) int {
		return slices.IndexFunc(x, func(o tracker.RunInfo) bool { return o.Params["seed"] == run.Params["seed"] })
	}
	slices.SortStableFunc(y, func(p, q tracker.RunInfo) int { return cmp.Compare(position(p), position(q)) })
	return x, y
}

// radiiKeys are what models of points and models of spheres may differ in.
var radiiKeys = []string{"model", "tau", "alpha", "beta", "config_hash"}

// unlikeRuns says in what runs of two models differ besides the radii, "" if in nothing or if one side has no run.
func unlikeRuns(off, on []tracker.RunInfo) string {
	if len(off) == 0 || len(on) == 0 {
		return ""
	}
	a, b := off[0].Params, on[0].Params
	var parts []string
	for _, key := range unionKeys([]tracker.RunInfo{off[0], on[0]}, func(r tracker.RunInfo) []string { return sortedKeys(r.Params) }) {
		if a[key] == b[key] {
			continue
		}
		if key == "seed" { // pairSeeds has found no common one
			parts = append(parts, fmt.Sprintf("seed %s and %s", a[key], b[key]))
		} else if !slices.Contains(radiiKeys, key) && !slices.Contains(notIdentity, key) && !strings.HasPrefix(key, "eval.") {
			parts = append(parts, fmt.Sprintf("%s %s and %s", key, cmp.Or(a[key], "unset"), cmp.Or(b[key], "unset")))
		}
	}
	return strings.Join(parts, ", ")
}

// ablationNotes name the runs that were compared, with what they have used.
func (t *ResultGrid) ablationNotes(groups ...[]tracker.RunInfo) []string {
	var notes []string
	for _, run := range slices.Concat(groups...) {
		text := fmt.Sprintf("runs: %s, %s: %s", t.Graph, ModelTitle(run.Params["model"]), shortID(run.ID))
		if seed := run.Params["seed"]; seed != "" {
			text += ", seed " + seed
		}
		notes = append(notes, text+t.unlikeText(run)+", "+t.costs[run.ID].String())
	}
	return notes
}

// difference is what the radii add to a metric, where both rows have logged it.
func (r AblationRow) difference(key string) (float64, bool) {
	off, haveOff := r.Off.Metrics[key]
	on, haveOn := r.On.Metrics[key]
	return on - off, haveOff && haveOn && r.Unlike == ""
}

// MarshalJSON writes both rows and their difference.
func (r AblationRow) MarshalJSON() ([]byte, error) {
	var difference orderedObject
	for _, key := range rowMetrics {
		if d, ok := r.difference(key); ok {
			difference = append(difference, orderedItem{key, d})
		} else {
			difference = append(difference, orderedItem{key, nil})
		}
	}
	return orderedObject{{"graph", r.Graph}, {"cut", r.Off.Cut}, {"variant", r.Off.Variant}, {"radii_off", r.Off}, {"radii_on", r.On},
		{"unlike", r.Unlike}, {"difference", difference}}.MarshalJSON()
}

// AblationGrid lays the ablation out for a format.
func AblationGrid(rows []AblationRow, format string) *Grid {
	if format == "json" {
		return &Grid{Records: rows}
	}
	g := &Grid{Title: "What the radii add, at the fixed margin and at fitted thresholds",
		Columns: []Column{{Key: "graph"}, {Key: "cut"}, {Key: "variant"}, {Key: "radii"}, {Key: "model"}}}
	if format == "csv" {
		g.Columns = append(g.Columns, Column{Key: "run_ids"})
	}
	keys := []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1", "tail_novel_f1", "head_union_f1", "tail_union_f1"}
	headings := []string{"head F1", "tail F1", "head RR", "tail RR", "n-n F1", "head novel", "tail novel", "head union", "tail union"}
	for i, key := range keys {
		g.Columns = append(g.Columns, Column{Key: key, Heading: headings[i], Right: true})
	}
	if format == "csv" {
		g.Columns = append(g.Columns, Column{Key: "unlike"}, Column{Key: "unlike_config"})
	}
	embedded := false
	for i, row := range rows {
		embedded = embedded || row.Embedded
		if i > 0 {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		for k, side := range []Row{row.Off, row.On} {
			cells := []string{row.Graph, row.Off.Cut, row.Off.Variant, []string{"off", "on"}[k], side.Model}
			if format == "csv" {
				cells = append(cells, strings.Join(side.RunIDs, " "))
			} else if k == 1 {
				cells[0], cells[1], cells[2] = "", "", ""
			}
			for j, key := range keys {
				value, ok := side.Metrics[key]
				switch {
				case ok && format == "csv":
					cells = append(cells, formatFloat(value))
				case ok:
					cells = append(cells, fraction(value))
				case format == "csv":
					cells = append(cells, "")
				case j == 0 && side.Missing():
					cells = append(cells, "missing")
				default:
					cells = append(cells, "-")
				}
			}
			if format == "csv" {
				cells = append(cells, row.Unlike, side.Unlike)
			}
			g.Rows = append(g.Rows, cells)
		}
		if format == "csv" {
			continue
		}
		cells := []string{"", "", "", "add", ""}
		for _, key := range keys {
			if d, ok := row.difference(key); ok {
				cells = append(cells, signed(d))
			} else {
				cells = append(cells, "")
			}
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Notes = append(g.Notes, "add: with radii less without, of the logged numbers; where both models have runs with the same seeds, of these only, averaged first. Intervals need the answers to each query, which are not logged: where both checkpoints are, `spherelab eval RUN --against RUN` gives them.",
		"fitted-: one threshold per relation and side; fitted-side-: one per side; fitted on the validation triples, for each model its own.")
	note := func(text string) {
		if !slices.Contains(g.Notes, text) {
			g.Notes = append(g.Notes, text)
		}
	}
	for _, row := range rows {
		if row.Unlike != "" {
			note(fmt.Sprintf("NOT SUBTRACTED, %s: %s and %s differ in more than radii: %s.", row.Graph, row.Off.Model, row.On.Model, row.Unlike))
		}
	}
	if embedded {
		note("These are the results inside the program for graphs on which nothing is logged in this tracker. `spherelab runs import` puts them there.")
	}
	for _, row := range rows {
		for _, text := range row.notes {
			note(text)
		}
	}
	note(costNote)
	return g
}
