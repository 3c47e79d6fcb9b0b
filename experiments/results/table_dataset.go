package results

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// datasetRow is what a graph holds. A graph that is in no data folder has only its name and the paper's numbers.
type datasetRow struct {
	Graph     string
	Here      bool
	Source    string // folder, "" for the graph embedded
	Entities  int
	Relations int
	Triples   [3]int // train, valid, test
	Answers   [2]answerCounts
	Paper     *paperDataset // nil if the paper does not have it
	table     string        // label of the paper's table
}

// answerCounts are the numbers of answers to the queries of one side in all splits together. Index 0 is for head
// queries (?, r, t), 1 for tail queries (h, r, ?).
type answerCounts struct {
	Distinct float64 // mean over the distinct queries of all splits
	Mean     float64 // mean over the queries of the test triples: a query counts once per test triple
	Median   float64 // over the same
}

// datasetTable shows the sizes of the paper's graphs, the bundled one and every known data set in the data folders,
// next to the paper's table of them.
type datasetTable []datasetRow

func buildDatasets(_ context.Context, _ string, s Sources, _ Options) (Layout, error) {
	paper, err := readPaper()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, row := range paper.Datasets.Rows {
		names = append(names, row.Graph)
	}
	names = append(names, config.BundledName)
	for _, name := range dataset.Names() {
		if _, err := dataset.Find(name, s.DataDirs...); err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var rows datasetTable
	for _, name := range names {
		row := datasetRow{Graph: name, table: paper.Datasets.Label}
		if i := slices.IndexFunc(paper.Datasets.Rows, func(p paperDataset) bool { return p.Graph == name }); i >= 0 {
			row.Paper = &paper.Datasets.Rows[i]
		}
		_, missing := dataset.Find(name, s.DataDirs...)
		if name == config.BundledName || missing == nil {
			g, err := config.OpenGraph(name, s.DataDirs)
			if err != nil {
				return nil, err
			}
			row.describe(g)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *datasetRow) describe(g *kg.Graph) {
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
		// Every triple is one answer to one query, so the mean needs no count per query.
		a := answerCounts{Distinct: float64(index.Len()) / float64(len(queries))}
		if n := len(counts); n > 0 {
			a.Mean, a.Median = float64(sum)/float64(n), float64(counts[(n-1)/2]+counts[n/2])/2
		}
		r.Answers[i] = a
	}
}

// counts returns the numbers that the paper has too, in its order.
func (r datasetRow) counts() []int {
	return []int{r.Entities, r.Relations, r.Triples[0], r.Triples[1], r.Triples[2]}
}

var datasetCounts = []string{"entities", "relations", "train", "valid", "test"}

// answerNumbers returns the other numbers of the row by key, in the order of the table.
func (r datasetRow) answerNumbers() ([]string, []float64) {
	h, t := r.Answers[0], r.Answers[1]
	return []string{"head_answers", "tail_answers", "head_answers_asked", "tail_answers_asked", "head_answers_median",
			"tail_answers_median"},
		[]float64{h.Distinct, t.Distinct, h.Mean, t.Mean, h.Median, t.Median}
}

func (p *paperDataset) counts() []int {
	return []int{p.Entities, p.Relations, p.Train, p.Valid, p.Test}
}

// MarshalJSON writes the row; unknown numbers are null.
func (r datasetRow) MarshalJSON() ([]byte, error) {
	object := jsonvalue.Object{{Key: "graph", Value: r.Graph}}
	number := func(key string, value any) {
		if !r.Here {
			value = nil
		}
		object = append(object, jsonvalue.Member{Key: key, Value: value})
	}
	for i, n := range r.counts() {
		number(datasetCounts[i], n)
	}
	keys, values := r.answerNumbers()
	for i, key := range keys {
		number(key, values[i])
	}
	if r.Paper != nil {
		paper := jsonvalue.Object{{Key: "table", Value: r.table}}
		for i, n := range r.Paper.counts() {
			paper = append(paper, jsonvalue.Member{Key: datasetCounts[i], Value: n})
		}
		object = append(object, jsonvalue.Member{Key: "paper", Value: paper})
	}
	return object.MarshalJSON()
}

// Grid returns the table laid out for a format.
func (rows datasetTable) Grid(format string) *Grid {
	if format == "json" {
		return &Grid{Records: rows}
	}
	if format == "csv" {
		return rows.wide()
	}
	g := &Grid{Title: "Data sets, next to the paper's table of them", Columns: []Column{{Key: "graph"}, {Key: "source"}}}
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
				cells = append(cells, quantity.Commas(n))
			}
			h, t := row.Answers[0], row.Answers[1]
			cells = append(cells, fmt.Sprintf("%.1f / %.1f", h.Distinct, t.Distinct),
				fmt.Sprintf("%.1f / %.1f", h.Mean, t.Mean),
				fmt.Sprintf("%g / %g", h.Median, t.Median))
		} else {
			cells = append(cells, "missing", "-", "-", "-", "-", "-", "-", "-")
		}
		g.Rows = append(g.Rows, cells)
		if row.Paper == nil {
			continue
		}
		cells = []string{"", "paper"}
		for k, n := range row.Paper.counts() {
			text := quantity.Commas(n)
			if row.Here {
				if d := row.counts()[k] - n; d != 0 {
					text += fmt.Sprintf(" (%+d)", d)
				}
			}
			cells = append(cells, text)
		}
		g.Rows = append(g.Rows, append(cells, "", "", ""))
	}
	g.AddNote("answers: mean number of answers of a distinct query over all splits (head / tail queries).")
	g.AddNote("asked: the same over the queries of the test triples, where a query counts once for every test triple; " +
		"mean and median.")
	g.AddNote("paper: its table %q; in brackets what the files hold more, or less, than it says.", rows[0].table)
	for _, row := range rows {
		if !row.Here {
			g.Notes = append(g.Notes, note("missing: "+row.Graph+" is in no data folder.",
				hint.Hint{Action: hint.FetchGraph, Subject: row.Graph}, hint.Hint{Action: hint.NameDataFolder}))
		}
	}
	return g
}

func (rows datasetTable) wide() *Grid {
	g := &Grid{Columns: []Column{{Key: "graph"}}}
	keys, _ := datasetRow{}.answerNumbers()
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
			cells = append(cells, ifThere(row.Here, quantity.Exact(x)))
		}
		var printed paperDataset
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
