package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// TableNames are the tables that are built from logged runs. A table can also be a file with a SQL query.
var TableNames = []string{"bundled"}

// RunReader is what tables need of a tracker.
type RunReader interface {
	Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error)
}

// TableOptions choose the runs behind a table.
type TableOptions struct {
	All  bool     // every finished run, not only the newest per model and variant
	Runs []string // only runs with these ids; nil: any
	Full bool     // every cut in every format; otherwise only CSV and JSON have them all
}

// NoRunsError says that a table has nothing to show.
type NoRunsError struct{ Graph string }

func (e *NoRunsError) Error() string {
	return fmt.Sprintf("no finished run with a final evaluation on graph %s is logged in this tracker; `spherelab train` makes some", e.Graph)
}

// ResultTable builds the table of a graph from the runs that are logged for it. Nothing is computed anew.
func ResultTable(ctx context.Context, r RunReader, graph string, o TableOptions) (*ResultGrid, error) {
	runs, err := r.Runs(ctx, tracker.Filter{})
	if err != nil {
		return nil, err
	}
	// Numbers of graphs with the same name and other triples do not belong in one table: the newest run decides.
	var chosen []tracker.RunInfo
	seen := map[string]bool{}
	for _, run := range runs { // newest first
		_, evaluated := run.Metrics["test/head_f1"]
		if run.Params["graph"] != graph || run.Status != string(tracker.Finished) || !evaluated {
			continue
		}
		if o.Runs != nil && !slices.Contains(o.Runs, run.ID) {
			continue
		}
		if len(chosen) > 0 && run.Params["graph_digest"] != chosen[0].Params["graph_digest"] {
			continue
		}
		key := run.Params["model"] + "\x00" + run.Params["variant"]
		if seen[key] && !o.All {
			continue
		}
		seen[key] = true
		chosen = append(chosen, run)
	}
	if len(chosen) == 0 {
		return nil, &NoRunsError{Graph: graph}
	}
	slices.SortStableFunc(chosen, func(a, b tracker.RunInfo) int {
		return cmp.Or(cmp.Compare(modelRank(a.Params["model"]), modelRank(b.Params["model"])), cmp.Compare(a.Params["variant"], b.Params["variant"]))
	})
	return newResultGrid(graph, "test", chosen, o.Full), nil
}

// newResultGrid collects the rows of runs, with the lookup row of the first one on top.
func newResultGrid(graph, split string, runs []tracker.RunInfo, full bool) *ResultGrid {
	t := &ResultGrid{Graph: graph, Split: split, runs: runs, full: full}
	for i, run := range runs {
		rows, lookup := runRows(run)
		if i == 0 && lookup != nil {
			t.Rows, t.Short = append(t.Rows, *lookup), append(t.Short, *lookup)
		}
		t.Rows = append(t.Rows, rows...)
		t.Short = append(t.Short, essential(rows)...)
	}
	return t
}

// modelRank orders models as the paper does.
func modelRank(model string) int {
	if i := slices.Index(modelNames, model); i >= 0 {
		return i
	}
	return len(modelNames)
}

// ResultGrid is a table of results: every row, and the short choice for people.
type ResultGrid struct {
	Graph       string
	Split       string // "test" or "valid"
	Rows, Short []Row
	runs        []tracker.RunInfo
	full        bool
}

// resultColumn is a column of numbers in the table for people.
type resultColumn struct {
	heading string
	keys    []string // one number, or head and tail in one cell
	margin  bool     // with the half width of the interval
}

var resultColumns = []resultColumn{
	{"head F1", []string{"head_f1"}, true}, {"tail F1", []string{"tail_f1"}, true},
	{"head RR", []string{"head_rr"}, true}, {"tail RR", []string{"tail_rr"}, true}, {"n-n F1", []string{"nn_f1"}, false},
	{"novel F1", []string{"head_novel_f1", "tail_novel_f1"}, false}, {"union F1", []string{"head_union_f1", "tail_union_f1"}, false},
}

// Grid lays the table out for a format: all rows and columns for CSV and JSON, the short choice for people.
func (t *ResultGrid) Grid(format string) *Grid {
	if format == "json" {
		return &Grid{Records: t.Rows}
	}
	if format == "csv" {
		return t.wide()
	}
	rows := t.Short
	if t.full {
		rows = t.Rows
	}
	tags := t.runs[0].Tags
	g := &Grid{Title: fmt.Sprintf("Set retrieval on the graph %s (%s entities, %s relations), %s triples", t.Graph, tags["entities"], tags["relations"], t.Split)}
	g.Columns = []Column{{Key: "model"}, {Key: "cut"}, {Key: "variant"}}
	for _, c := range resultColumns {
		g.Columns = append(g.Columns, Column{Key: c.heading, Right: true})
	}
	for i, row := range rows {
		if i > 0 && row.Model != rows[i-1].Model {
			g.Rules = append(g.Rules, i)
		}
		cells := []string{row.Model, row.Cut, cmp.Or(row.Variant, "-")}
		for _, c := range resultColumns {
			cells = append(cells, resultCell(row, c))
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Bold = bestCells(rows)
	g.Notes = t.notes()
	return g
}

// wide is every row with every metric in a column of its own, for CSV.
func (t *ResultGrid) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "model"}, {Key: "cut"}, {Key: "variant"}, {Key: "protocol"}}}
	var keys []string
	for _, key := range rowMetrics {
		keys = append(keys, key)
		if slices.Contains(intervalMetrics, key) {
			keys = append(keys, key+"_lo", key+"_hi")
		}
	}
	for _, key := range keys {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	for _, row := range t.Rows {
		cells := []string{row.RunIDs[0], row.Model, row.Cut, row.Variant, row.Protocol}
		for _, key := range keys {
			value, ok := row.Metrics[key]
			if !ok {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, formatFloat(value))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

func resultCell(row Row, c resultColumn) string {
	var parts []string
	for _, key := range c.keys {
		value, ok := row.Metrics[key]
		if !ok {
			parts = append(parts, "-")
			continue
		}
		text := fraction(value)
		low, haveLow := row.Metrics[key+"_lo"]
		high, haveHigh := row.Metrics[key+"_hi"]
		if c.margin && haveLow && haveHigh {
			text += " ±" + fraction((high-low)/2)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " / ")
}

// fraction writes a number between 0 and 1 with three digits, without the leading zero, as the paper does.
func fraction(x float64) string {
	if math.IsNaN(x) {
		return "NaN"
	}
	return strings.Replace(fmt.Sprintf("%.3f", x), "0.", ".", 1)
}

// bestCells finds the best value of every column among the models' rows; lookup, which is no model, does not compete.
func bestCells(rows []Row) [][2]int {
	var bold [][2]int
	for j, c := range resultColumns {
		if len(c.keys) != 1 {
			continue
		}
		best := math.Inf(-1)
		for _, row := range rows {
			if value, ok := row.Metrics[c.keys[0]]; ok && row.Model != LookupModel {
				best = max(best, value)
			}
		}
		for i, row := range rows {
			if value, ok := row.Metrics[c.keys[0]]; ok && row.Model != LookupModel && value == best {
				bold = append(bold, [2]int{i, 3 + j})
			}
		}
	}
	return bold
}

func (t *ResultGrid) notes() []string {
	notes := []string{
		"lookup returns the answers that " + map[bool]string{true: "training", false: "training and validation"}[t.Split == "valid"] + " already hold; it needs no model and infers nothing.",
		"F1: harmonic mean of precision and recall of the answer set; RR: share of test triples whose own answer is in it.",
		"novel F1: counted without the known answers; union F1: known answers united with the set (head / tail).",
	}
	for _, row := range t.Rows {
		if _, ok := row.Metrics["head_f1_lo"]; ok {
			notes = append(notes, "±: half of the 95 % interval, by bootstrap over distinct queries.")
			break
		}
	}
	if slices.ContainsFunc(t.Short, func(row Row) bool { return fitted(row.Cut) }) {
		notes = append(notes,
			"fitted-: one threshold per relation and side, drawn to the side's as by 10 queries; fitted-side-: one per side; each is best on the validation triples, for F1, novel F1 or union F1.",
			"top-mean: the best l entities, l being the mean number of training answers of the relation and side.")
	}
	var hindsight []string
	for _, row := range t.Short {
		if _, top := topSize(row.Cut); top && !slices.Contains(hindsight, row.Model+"'s") {
			hindsight = append(hindsight, row.Model+"'s")
		}
	}
	if len(hindsight) > 0 && !t.full {
		text := " top-l row is its best one, chosen with hindsight; --format json and csv have every cut."
		if len(hindsight) > 1 {
			text = " top-l rows are their best ones, chosen with hindsight; --format json and csv have every cut."
		}
		notes = append(notes, strings.Join(hindsight, " and ")+text)
	}
	var runs []string
	for _, run := range t.runs {
		runs = append(runs, fmt.Sprintf("%s (%s)", shortID(run.ID), run.Name))
	}
	return append(notes, "runs: "+strings.Join(runs, ", "))
}
