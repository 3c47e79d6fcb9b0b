package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// AblationTableName is the table that says what radii and fitted thresholds add.
const AblationTableName = "ablation"

// ablationPairs are the models that differ in nothing but the radii.
var ablationPairs = [][2]string{{sphere.RotatE, sphere.SpherE2D}, {sphere.Rotate3D, sphere.SpherE3D}}

// AblationRow is one cut with radii off and on.
type AblationRow struct {
	Graph    string
	Off, On  Row  // the model of points and the model of spheres, at the same cut; a row may be missing
	Embedded bool // from the results inside the program
}

// AblationTable sets the models of points beside the models of spheres, graph by graph: at the fixed margin and at each
// fitted threshold, from the rows of the result tables. Graphs on which nothing is logged are left out.
func AblationTable(ctx context.Context, r RunReader, o TableOptions) ([]AblationRow, error) {
	return ablationTable(ctx, r, EmbeddedResults, o)
}

func ablationTable(ctx context.Context, r RunReader, results func() ([]ArchiveFile, error), o TableOptions) ([]AblationRow, error) {
	cuts := append([]string{string(sphere.CriterionMargin)}, eval.FittedNames()...)
	var rows []AblationRow
	for _, graph := range []string{"fb15k-237", "wn18rr", BundledName} {
		t, err := resultTable(ctx, r, results, graph, TableOptions{Variant: o.Variant})
		var none *NoRunsError
		if errors.As(err, &none) || err == nil && len(t.groups) == 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		find := func(model, cut string) Row {
			want := Row{Model: ModelTitle(model), Cut: cut, Variant: t.Variant, Protocol: ProtocolClean}
			for _, row := range t.Rows {
				if row.Model == want.Model && row.Variant == t.Variant && row.comparable() == want.comparable() {
					return row
				}
			}
			return want
		}
		for _, pair := range ablationPairs {
			for _, cut := range cuts {
				row := AblationRow{Graph: graph, Off: find(pair[0], cut), On: find(pair[1], cut), Embedded: t.embedded}
				if !row.Off.Missing() || !row.On.Missing() {
					rows = append(rows, row)
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no finished run on fb15k-237, wn18rr or bundled is logged in this tracker; `spherelab train` makes some")
	}
	return rows, nil
}

// difference is what the radii add to a metric, where both rows have logged it.
func (r AblationRow) difference(key string) (float64, bool) {
	off, haveOff := r.Off.Metrics[key]
	on, haveOn := r.On.Metrics[key]
	return on - off, haveOff && haveOn
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
		{"difference", difference}}.MarshalJSON()
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
	g.Notes = append(g.Notes, "add: with radii less without, of the logged numbers; several seeds are averaged first. Intervals need the answers to each query, which are not logged: where both checkpoints are, `spherelab eval RUN --against RUN` gives them.",
		"fitted-: one threshold per relation and side; fitted-side-: one per side; fitted on the validation triples, for each model its own.")
	if embedded {
		g.Notes = append(g.Notes, "These are the results inside the program for graphs on which nothing is logged in this tracker. `spherelab runs import` puts them there.")
	}
	var named []string
	for _, row := range rows {
		for _, side := range []Row{row.Off, row.On} {
			for _, id := range side.RunIDs {
				text := fmt.Sprintf("runs: %s, %s: %s", row.Graph, side.Model, shortID(id))
				if !slices.Contains(named, text) {
					named = append(named, text)
				}
			}
		}
	}
	g.Notes = append(g.Notes, named...)
	return g
}
