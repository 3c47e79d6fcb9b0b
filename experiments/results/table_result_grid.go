package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// resultColumn is a column of numbers in the table for people.
type resultColumn struct {
	heading string
	metrics []Metric // one number, or head and tail in one cell
}

var resultColumns = []resultColumn{
	{"head F1", []Metric{HeadF1}}, {"tail F1", []Metric{TailF1}}, {"head RR", []Metric{HeadRR}},
	{"tail RR", []Metric{TailRR}},
	{"n-n F1", []Metric{NNF1}}, {"novel F1", []Metric{HeadNovelF1, TailNovelF1}},
	{"union F1", []Metric{HeadUnionF1, TailUnionF1}}, {"MRR", []Metric{MRR}}, {"H@1", []Metric{Hits1}},
	{"H@3", []Metric{Hits3}}, {"H@10", []Metric{Hits10}},
}

// shortColumns are the columns of numbers in a text of one row per model: narrow, without intervals.
var shortColumns = []resultColumn{
	{"head\nF1", []Metric{HeadF1}}, {"tail\nF1", []Metric{TailF1}}, {"head\nRR", []Metric{HeadRR}},
	{"tail\nRR", []Metric{TailRR}}, {"n-n\nF1", []Metric{NNF1}}, {"head\nnovel", []Metric{HeadNovelF1}},
	{"tail\nnovel", []Metric{TailNovelF1}}, {"head\nunion", []Metric{HeadUnionF1}},
	{"tail\nunion", []Metric{TailUnionF1}}, {"MRR", []Metric{MRR}}, {"H@1", []Metric{Hits1}},
	{"H@3", []Metric{Hits3}}, {"H@10", []Metric{Hits10}},
}

// Grid returns the table laid out for a format: all rows and columns for CSV and JSON, the short selection for people.
func (t *ResultTable) Grid(format string) *Grid {
	if format == "json" {
		return &Grid{Records: t.Rows}
	}
	if format == "csv" {
		return t.wide()
	}
	if format == "text" && !t.isFull {
		return t.narrow()
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
	best := bestCells(rows, resultColumns)
	for i, row := range rows {
		if i > 0 && row.Model != rows[i-1].Model {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		for j := range resultColumns {
			if slices.Contains(best, [2]int{i, j}) {
				g.Bold = append(g.Bold, [2]int{len(g.Rows), first + j})
			}
		}
		cells := []string{row.Model, row.cutText(), cmp.Or(row.Variant, "-")}
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
		if paper, cut := t.beside(row); paper != nil {
			g.Rows = append(g.Rows, paperLine(row, paper, cut))
		}
	}
	g.Notes = t.notes(false)
	if len(g.Bold) > 0 && format != "text" {
		g.AddNote("bold: the best model among rows of one variant and cut; lookup does not compete.")
	}
	return g
}

// narrow returns the text with one row per model, and the paper's numbers below it.
func (t *ResultTable) narrow() *Grid {
	g := &Grid{Title: t.title() + ", variant " + t.Variant, Columns: []Column{{Key: "model"}, {Key: "cut"}},
		Tones: map[[2]int]Tone{}}
	for _, c := range shortColumns {
		g.Columns = append(g.Columns, Column{Key: c.heading, Right: true})
	}
	best := bestCells(t.Short, shortColumns)
	add := func(cells []string, tone Tone) {
		for j := range cells {
			g.Tones[[2]int{len(g.Rows), j}] = tone
		}
		g.Rows = append(g.Rows, cells)
	}
	for i, row := range t.Short {
		for j := range shortColumns {
			if slices.Contains(best, [2]int{i, j}) {
				g.Bold = append(g.Bold, [2]int{len(g.Rows), 2 + j})
			}
		}
		cells, tone := []string{row.Model, row.cutText()}, Plain
		for j, c := range shortColumns {
			n, logged := row.Numbers[c.metrics[0]]
			switch {
			case logged:
				cells = append(cells, quantity.Fraction(n.Value, 3))
			case row.Missing() && j == 0:
				cells = append(cells, "missing")
			default:
				cells = append(cells, "-")
			}
		}
		if row.Cut.Kind() == eval.KindLookup {
			tone = Known
			g.Rules = append(g.Rules, len(g.Rows)+1)
		}
		add(cells, tone)
		paper, cut := t.beside(row)
		if paper == nil {
			continue
		}
		cells = []string{"  paper", cut}
		for _, c := range shortColumns {
			text := ""
			if value, printed := paper.Values[c.metrics[0]]; printed {
				text = quantity.Fraction(value, 3)
			}
			cells = append(cells, text)
		}
		add(cells, Aside)
	}
	g.Notes = t.notes(true)
	return g
}

// beside returns what is shown below a row. It is the paper's numbers of the same cut, with "" as the cut's name; or,
// in a table of one row per model, those of the paper's best cut for the model, with its name; or nil.
func (t *ResultTable) beside(row Row) (paper *PaperCells, cut string) {
	if row.Paper != nil || t.paper == nil || t.isFull || row.Variant != t.paper.Variant {
		return row.Paper, ""
	}
	name := t.paper.best(row.Model)
	if name == "" {
		return nil, ""
	}
	return t.paper.cells(row.Model, mustParseCut(name)), name
}

// shown returns the rows for people.
func (t *ResultTable) shown() []Row {
	if !t.isFull {
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

func (t *ResultTable) title() string {
	size := ""
	for _, group := range t.groups {
		// a run of another program does not log it; all are on the same triples
		if run := group[0]; run.Entities > 0 && size == "" {
			size = fmt.Sprintf(" (%d entities, %d relations)", run.Entities, run.Relations)
		}
	}
	return fmt.Sprintf("Set retrieval on the graph %s%s, %s triples", t.Graph, size, t.Split)
}

// paperLine returns the line under a row with the paper's numbers, and in brackets ours minus the paper's.
func paperLine(row Row, paper *PaperCells, cut string) []string {
	cells := []string{"", cut, "", "paper"}
	for _, c := range resultColumns {
		value, ok := paper.Values[c.metrics[0]]
		if !ok {
			cells = append(cells, "")
			continue
		}
		text := quantity.Fraction(value, 3)
		if d := row.lessPaper(c.metrics[0]); d != nil {
			text += " (" + signed(*d) + ")"
		}
		cells = append(cells, text)
	}
	return cells
}

// wide returns every row with every number in a column of its own, for CSV.
func (t *ResultTable) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "model"}, {Key: "cut"}, {Key: "variant"}, {Key: "protocol"}}}
	add := func(columns []column) {
		for _, c := range columns {
			g.Columns = append(g.Columns, Column{Key: c.key})
		}
	}
	add(Row{}.columns())
	if t.paper != nil {
		add(Row{}.paperColumns())
	}
	g.Columns = append(g.Columns, Column{Key: "unlike_config"})
	add(Cost{}.columns())
	add(Row{}.rankColumns())
	add(Cost{}.cpuColumns())
	for _, row := range t.Rows {
		cells := []string{strings.Join(row.RunIDs, " "), row.Model, row.CutName(), row.Variant, row.Protocol}
		cells = appendCells(cells, row.columns())
		if t.paper != nil {
			cells = appendCells(cells, row.paperColumns())
		}
		cells = appendCells(append(cells, row.Unlike), row.cost.columns())
		cells = appendCells(cells, row.rankColumns())
		g.Rows = append(g.Rows, appendCells(cells, row.cost.cpuColumns()))
	}
	return g
}

// paperColumns returns the paper's numbers, and ours minus the paper's.
func (r Row) paperColumns() []column {
	var list []column
	for _, m := range paperMetrics {
		var value *float64
		if r.Paper != nil {
			printed := r.Paper.Values[m]
			value = &printed
		}
		list = append(list, column{"paper_" + m.String(), value}, column{"difference_" + m.String(), r.lessPaper(m)})
	}
	return list
}

// appendCells appends numbers with all digits, and unknown ones as empty cells.
func appendCells(cells []string, columns []column) []string {
	for _, c := range columns {
		text := ""
		if c.value != nil {
			text = quantity.Exact(*c.value)
		}
		cells = append(cells, text)
	}
	return cells
}

func resultCell(row Row, c resultColumn) string {
	var parts []string
	for _, m := range c.metrics {
		n, ok := row.Numbers[m]
		if !ok {
			parts = append(parts, "-")
			continue
		}
		text := quantity.Fraction(n.Value, 3)
		if n.Interval != nil && m.hasInterval() {
			text += " ±" + quantity.Fraction((n.Interval.High-n.Interval.Low)/2, 3)
		}
		if n.Spread != nil {
			text += " σ" + quantity.Fraction(*n.Spread, 3)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " / ")
}

// class is what comparable rows have in common: variant and cut.
type class struct{ variant, protocol, cut string }

// class returns the row's class. For variant clean the cut sphere is the same as the margin.
func (r Row) class() class {
	cut := r.Cut.Name()
	if r.Variant == sphere.Clean && cut == string(sphere.CriterionSphere) {
		cut = margin.Name()
	}
	return class{r.Variant, r.Protocol, cut}
}

// bestCells finds, per column and class, the row with the best value; they are pairs of row and column. Lookup is not a
// model and does not compete. A row without a competitor is not marked.
func bestCells(rows []Row, columns []resultColumn) [][2]int {
	var bold [][2]int
	for j, c := range columns {
		if len(c.metrics) != 1 {
			continue
		}
		number := func(r Row) (float64, bool) {
			n, ok := r.Numbers[c.metrics[0]]
			return n.Value, ok && r.Cut.Kind() != eval.KindLookup && !math.IsNaN(n.Value)
		}
		best, models := map[class]float64{}, map[class][]string{}
		for _, row := range rows {
			value, ok := number(row)
			if !ok {
				continue
			}
			k := row.class()
			if len(models[k]) == 0 || value > best[k] {
				best[k] = value
			}
			if !slices.Contains(models[k], row.Model) {
				models[k] = append(models[k], row.Model)
			}
		}
		for i, row := range rows {
			if value, ok := number(row); ok && len(models[row.class()]) > 1 && value == best[row.class()] {
				bold = append(bold, [2]int{i, j})
			}
		}
	}
	return bold
}
