package experiments

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
)

// DatasetTableName is the table of data sets, which is built from the graphs themselves.
const DatasetTableName = "datasets"

// DatasetRow is what a graph holds. A graph that is not here has only its name, and what the paper says.
type DatasetRow struct {
	Graph     string
	Here      bool
	Source    string // folder, "" for the graph inside the program
	Entities  int
	Relations int
	Triples   [3]int // train, valid, test
	Answers   [2]AnswerCounts
	Paper     *PaperDataset // nil if the paper does not have it
	table     string        // label of the paper's table
}

// AnswerCounts say how many answers the queries of one side have in all splits together; index 0 is for head queries
// (?, r, t), 1 for tail queries (h, r, ?).
type AnswerCounts struct {
	Distinct float64 // mean over the distinct queries of all splits
	Mean     float64 // mean over the queries of the test triples, so that a query counts as often as it is asked
	Median   float64 // over the same
}

// DatasetTable describes the paper's graphs, the bundled one and every known data set that is in dirs.
func DatasetTable(dirs []string) ([]DatasetRow, error) {
	paper, err := ReadPaper()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, row := range paper.Datasets.Rows {
		names = append(names, row.Graph)
	}
	names = append(names, BundledName)
	for _, name := range dataset.Names() {
		if _, err := dataset.Find(name, dirs...); err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var rows []DatasetRow
	for _, name := range names {
		row := DatasetRow{Graph: name, table: paper.Datasets.Label}
		if i := slices.IndexFunc(paper.Datasets.Rows, func(p PaperDataset) bool { return p.Graph == name }); i >= 0 {
			row.Paper = &paper.Datasets.Rows[i]
		}
		_, missing := dataset.Find(name, dirs...)
		if name == BundledName || missing == nil {
			g, err := OpenGraph(name, dirs)
			if err != nil {
				return nil, err
			}
			row.describe(g)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *DatasetRow) describe(g *kg.Graph) {
	r.Here, r.Source = true, g.Source
	r.Entities, r.Relations = g.Entities.Len(), g.Relations.Len()
	r.Triples = [3]int{len(g.Train), len(g.Valid), len(g.Test)}
	index := g.Index(kg.Train, kg.Valid, kg.Test)
	for i, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		queries := map[kg.Query]bool{}
		for _, split := range kg.Splits() {
			for _, t := range g.Split(split) {
				queries[t.Query(side)] = true
			}
		}
		var counts []int
		sum := 0
		for _, t := range g.Test {
			n := len(index.Answers(t.Query(side)))
			counts = append(counts, n)
			sum += n
		}
		slices.Sort(counts)
		// Every triple is one answer of one query, so their mean needs no count per query.
		a := AnswerCounts{Distinct: float64(index.Len()) / float64(len(queries))}
		if n := len(counts); n > 0 {
			a.Mean, a.Median = float64(sum)/float64(n), float64(counts[(n-1)/2]+counts[n/2])/2
		}
		r.Answers[i] = a
	}
}

// counts are the numbers that the paper has, too, in its order.
func (r DatasetRow) counts() []int {
	return []int{r.Entities, r.Relations, r.Triples[0], r.Triples[1], r.Triples[2]}
}

var datasetCounts = []string{"entities", "relations", "train", "valid", "test"}

// answerNumbers are the other numbers of the row by key, in the order of the table.
func (r DatasetRow) answerNumbers() ([]string, []float64) {
	h, t := r.Answers[0], r.Answers[1]
	return []string{"head_answers", "tail_answers", "head_answers_asked", "tail_answers_asked", "head_answers_median", "tail_answers_median"},
		[]float64{h.Distinct, t.Distinct, h.Mean, t.Mean, h.Median, t.Median}
}

func (p *PaperDataset) counts() []int {
	return []int{p.Entities, p.Relations, p.Train, p.Valid, p.Test}
}

// MarshalJSON writes the row; what is not known is null.
func (r DatasetRow) MarshalJSON() ([]byte, error) {
	object := orderedObject{{"graph", r.Graph}}
	number := func(key string, value any) {
		if !r.Here {
			value = nil
		}
		object = append(object, orderedItem{key, value})
	}
	for i, n := range r.counts() {
		number(datasetCounts[i], n)
	}
	keys, values := r.answerNumbers()
	for i, key := range keys {
		number(key, values[i])
	}
	if r.Paper != nil {
		paper := orderedObject{{"table", r.table}}
		for i, n := range r.Paper.counts() {
			paper = append(paper, orderedItem{datasetCounts[i], n})
		}
		object = append(object, orderedItem{"paper", paper})
	}
	return object.MarshalJSON()
}

// orderedObject is a JSON object whose keys stay in order.
type orderedObject []orderedItem

type orderedItem struct {
	key   string
	value any
}

// MarshalJSON writes the object.
func (o orderedObject) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, item := range o {
		raw, err := json.Marshal(item.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item.key, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(item.key) + ":" + string(raw))
	}
	return []byte("{" + b.String() + "}"), nil
}

// DatasetGrid lays the table of data sets out for a format.
func DatasetGrid(rows []DatasetRow, format string) *Grid {
	if format == "json" {
		return &Grid{Records: rows}
	}
	if format == "csv" {
		return datasetCSV(rows)
	}
	g := &Grid{Title: "Data sets, beside the paper's table of them", Columns: []Column{{Key: "graph"}, {Key: "source"}}}
	for _, heading := range append(slices.Clone(datasetCounts), "answers", "asked: mean", "median") {
		g.Columns = append(g.Columns, Column{Key: heading, Right: true})
	}
	for i, row := range rows {
		if i > 0 {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		cells := []string{row.Graph, "file"}
		if row.Here {
			for _, n := range row.counts() {
				cells = append(cells, thousands(n))
			}
			h, t := row.Answers[0], row.Answers[1]
			cells = append(cells, fmt.Sprintf("%.1f / %.1f", h.Distinct, t.Distinct), fmt.Sprintf("%.1f / %.1f", h.Mean, t.Mean), fmt.Sprintf("%g / %g", h.Median, t.Median))
		} else {
			cells = append(cells, "missing", "-", "-", "-", "-", "-", "-", "-")
		}
		g.Rows = append(g.Rows, cells)
		if row.Paper == nil {
			continue
		}
		cells = []string{"", "paper"}
		for k, n := range row.Paper.counts() {
			text := thousands(n)
			if row.Here {
				if d := row.counts()[k] - n; d != 0 {
					text += fmt.Sprintf(" (%+d)", d)
				}
			}
			cells = append(cells, text)
		}
		g.Rows = append(g.Rows, append(cells, "", "", ""))
	}
	g.Notes = []string{
		"answers: mean number of answers of a distinct query over all splits (head / tail queries).",
		"asked: the same over the queries of the test triples, where a query counts as often as a test triple asks it; mean and median.",
		fmt.Sprintf("paper: its table %q; in brackets what the files hold more, or less, than it says.", rows[0].table),
	}
	for _, row := range rows {
		if !row.Here {
			g.Notes = append(g.Notes, "missing: "+row.Graph+" is in no data folder; `spherelab data get "+row.Graph+"` fetches it, --data names a folder that has it.")
		}
	}
	return g
}

func datasetCSV(rows []DatasetRow) *Grid {
	g := &Grid{Columns: []Column{{Key: "graph"}}}
	keys, _ := DatasetRow{}.answerNumbers()
	for _, key := range append(slices.Clone(datasetCounts), keys...) {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	for _, key := range datasetCounts {
		g.Columns = append(g.Columns, Column{Key: "paper_" + key})
	}
	for _, row := range rows {
		cells := []string{row.Graph}
		_, values := row.answerNumbers()
		for _, n := range row.counts() {
			cells = append(cells, ifThere(row.Here, strconv.Itoa(n)))
		}
		for _, x := range values {
			cells = append(cells, ifThere(row.Here, formatFloat(x)))
		}
		var printed PaperDataset
		if row.Paper != nil {
			printed = *row.Paper
		}
		for _, n := range printed.counts() {
			cells = append(cells, ifThere(row.Paper != nil, strconv.Itoa(n)))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

func ifThere(there bool, text string) string {
	if !there {
		return ""
	}
	return text
}

// thousands writes a count with commas, as the paper does.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
