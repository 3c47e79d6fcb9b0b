package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
)

// resultColumn is a column of numbers in the table for people.
type resultColumn struct {
	heading string
	keys    []string // one number, or head and tail in one cell
	margin  bool     // with the half width of the interval
}

var resultColumns = []resultColumn{
	{"head F1", []string{"head_f1"}, true}, {"tail F1", []string{"tail_f1"}, true},
	{"head RR", []string{"head_rr"}, true}, {"tail RR", []string{"tail_rr"}, true}, {"n-n F1", []string{"nn_f1"}, true},
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
	rows := t.shown()
	g := &Grid{Title: t.title(), Columns: []Column{{Key: "model"}, {Key: "cut"}, {Key: "variant"}}}
	if t.paper != nil {
		g.Columns = append(g.Columns, Column{Key: "source"})
	}
	first := len(g.Columns)
	for _, c := range resultColumns {
		g.Columns = append(g.Columns, Column{Key: c.heading, Right: true})
	}
	best := bestCells(rows)
	for i, row := range rows {
		if i > 0 && row.Model != rows[i-1].Model {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		for j := range resultColumns {
			if slices.Contains(best, [2]int{i, j}) {
				g.Bold = append(g.Bold, [2]int{len(g.Rows), first + j})
			}
		}
		cells := []string{row.Model, row.Cut, cmp.Or(row.Variant, "-")}
		if t.paper != nil {
			cells = append(cells, "ours")
		}
		for j, c := range resultColumns {
			switch {
			case !row.Missing():
				cells = append(cells, resultCell(row, c))
			case j == 0:
				cells = append(cells, "missing")
			default:
				cells = append(cells, "-")
			}
		}
		g.Rows = append(g.Rows, cells)
		if row.Paper != nil {
			g.Rows = append(g.Rows, paperLine(row))
		}
	}
	g.Notes = t.notes()
	if len(g.Bold) > 0 && format != "text" {
		g.Notes = append(g.Notes, "bold: the best model among rows of one variant and cut; lookup does not compete.")
	}
	return g
}

// shown are the rows for people.
func (t *ResultGrid) shown() []Row {
	if !t.full {
		return t.Short
	}
	var rows []Row
	for _, row := range t.Rows {
		if row.Variant == "" || row.Variant == t.Variant {
			rows = append(rows, row)
		}
	}
	return rows
}

func (t *ResultGrid) title() string {
	size := ""
	if len(t.groups) > 0 {
		tags := t.groups[0][0].Tags
		size = fmt.Sprintf(" (%s entities, %s relations)", tags["entities"], tags["relations"])
	}
	return fmt.Sprintf("Set retrieval on the graph %s%s, %s triples", t.Graph, size, t.Split)
}

// paperLine is the line under a row with the paper's numbers, and in brackets ours less the paper's.
func paperLine(row Row) []string {
	cells := []string{"", "", "", "paper"}
	for _, c := range resultColumns {
		value, ok := row.Paper.Values[c.keys[0]]
		if !ok || len(c.keys) != 1 {
			cells = append(cells, "")
			continue
		}
		text := fraction(value)
		if ours, ok := row.Metrics[c.keys[0]]; ok {
			text += " (" + signed(ours-value) + ")"
		}
		cells = append(cells, text)
	}
	return cells
}

// wide is every row with every metric in a column of its own, for CSV.
func (t *ResultGrid) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "model"}, {Key: "cut"}, {Key: "variant"}, {Key: "protocol"}}}
	var keys []string
	for _, key := range rowMetrics {
		keys = append(keys, key)
		if slices.Contains(intervalMetrics, key) {
			keys = append(keys, key+"_lo", key+"_hi", key+"_sd")
		}
	}
	for _, key := range keys {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	if t.paper != nil {
		for _, key := range paperMetrics {
			g.Columns = append(g.Columns, Column{Key: "paper_" + key}, Column{Key: "difference_" + key})
		}
	}
	g.Columns = append(g.Columns, Column{Key: "unlike_config"})
	for _, key := range costKeys {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	number := func(value float64, ok bool) string {
		if !ok {
			return ""
		}
		return formatFloat(value)
	}
	for _, row := range t.Rows {
		cells := []string{strings.Join(row.RunIDs, " "), row.Model, row.Cut, row.Variant, row.Protocol}
		for _, key := range keys {
			value, ok := row.Metrics[key]
			cells = append(cells, number(value, ok))
		}
		if t.paper != nil {
			for _, key := range paperMetrics {
				value, printed := 0.0, row.Paper != nil
				if printed {
					value = row.Paper.Values[key]
				}
				ours, logged := row.Metrics[key]
				cells = append(cells, number(value, printed), number(ours-value, printed && logged))
			}
		}
		cells = append(cells, row.Unlike)
		for _, seconds := range row.cost.seconds() {
			cells = append(cells, number(seconds, seconds > 0))
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
		if spread, ok := row.Metrics[key+"_sd"]; ok {
			text += " σ" + fraction(spread)
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

// comparable names the rows that compete with this one: models of one variant under one cut. For variant clean the cut
// sphere retrieves what lies within the margin. Lookup, which is no model, does not compete.
func (r Row) comparable() string {
	cut := r.Cut
	if r.Variant == sphere.Clean && cut == string(sphere.CriterionSphere) {
		cut = string(sphere.CriterionMargin)
	}
	return r.Variant + "\x00" + r.Protocol + "\x00" + cut
}

// bestCells finds, per column and among rows that may be compared, the row with the best value; they are pairs of row
// and result column. A row that has nobody to compete with is not the best.
func bestCells(rows []Row) [][2]int {
	var bold [][2]int
	for j, c := range resultColumns {
		if len(c.keys) != 1 {
			continue
		}
		best, models := map[string]float64{}, map[string]map[string]bool{} // by class
		for _, row := range rows {
			value, ok := row.Metrics[c.keys[0]]
			if !ok || row.Model == LookupModel || math.IsNaN(value) {
				continue
			}
			class := row.comparable()
			if models[class] == nil {
				models[class] = map[string]bool{}
				best[class] = value
			}
			models[class][row.Model] = true
			best[class] = max(best[class], value)
		}
		for i, row := range rows {
			class := row.comparable()
			if value, ok := row.Metrics[c.keys[0]]; ok && row.Model != LookupModel && len(models[class]) > 1 && value == best[class] {
				bold = append(bold, [2]int{i, j})
			}
		}
	}
	return bold
}
