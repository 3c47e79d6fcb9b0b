package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/eval"
)

// Report is the result of an evaluation.
type Report struct{ *eval.Report }

// newReport wraps a report of package eval.
func newReport(r *eval.Report) *Report { return &Report{r} }

// Metric returns one number of the report, by the key under which it is logged, without the split:
// report.Metric("head_f1").
func (r *Report) Metric(key string) float64 {
	all := r.Metrics()
	value, ok := all[key]
	if !ok {
		panic(fail(Failed, "the report has no metric %q%s", key, didYouMean(key, slices.Sorted(maps.Keys(all)))))
	}
	return value
}

// Relations returns the relations of the split with their F1, most facts first, for the run's own criterion.
func (r *Report) Relations() *Rows {
	rows := &Rows{columns: []string{"relation", "category", "facts", "head F1", "tail F1"},
		title: fmt.Sprintf("relations of %s, %s facts", r.Graph, r.Split)}
	for _, g := range byFacts(r.Report) {
		rows.values = append(rows.values, []interface{}{g.Name, g.Category, int64(g.Head.Triples), g.Head.F1,
			g.Tail.F1})
	}
	return rows
}

// byFacts returns the groups of a report's first cut by relation, most facts first.
func byFacts(r *eval.Report) []eval.Group {
	if len(r.Cuts) == 0 {
		return nil
	}
	groups := slices.Clone(r.Cuts[0].Relations)
	slices.SortStableFunc(groups, func(a, b eval.Group) int { return b.Head.Triples - a.Head.Triples })
	return groups
}

func (r *Report) grid() *results.Grid {
	g := &results.Grid{
		Title: fmt.Sprintf("%s, %s: %s facts, %s distinct head queries, %s distinct tail queries", r.Graph, r.Split,
			quantity.Commas(r.Triples), quantity.Commas(r.HeadQueries), quantity.Commas(r.TailQueries)),
	}
	if r.Sampled {
		g.Title += fmt.Sprintf(", a sample of %s and %s", quantity.Commas(r.HeadOf), quantity.Commas(r.TailOf))
	}
	for i, heading := range []string{"cut", "head F1", "tail F1", "head RR", "tail RR", "n-n F1", "head precision",
		"tail precision", "head size", "tail size"} {
		g.Columns = append(g.Columns, results.Column{Key: heading, Right: i > 0})
	}
	for i, c := range r.Cuts {
		nn := "" // there are no n-to-n facts
		if r.NNTriples > 0 {
			nn = fraction(c.NNF1)
		}
		if c.Name == r.Primary {
			g.Bold = append(g.Bold, [2]int{i, 0})
		}
		g.Rows = append(g.Rows, []string{c.Name, fraction(c.Head.F1), fraction(c.Tail.F1), fraction(c.Head.RR),
			fraction(c.Tail.RR), nn, fraction(c.Head.Precision), fraction(c.Tail.Precision),
			fmt.Sprintf("%.1f", c.Head.Size), fmt.Sprintf("%.1f", c.Tail.Size)})
	}
	if k := r.Ranking; k != nil {
		g.AddNote("filtered ranking: MRR %s, hits@1 %s, hits@3 %s, hits@10 %s, mean rank %.1f",
			fraction(k.Both.MRR), fraction(k.Both.Hits1), fraction(k.Both.Hits3), fraction(k.Both.Hits10), k.Both.MR)
	}
	return g
}

func fraction(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// HTML shows the report as a table in a notebook, with a row for each cut.
func (r *Report) HTML() string { return gridHTML(r.grid()) }

// String returns the report as text.
func (r *Report) String() string { return gridText(r.grid()) }

// Write writes the table to a file. The ending of the name chooses the format: .csv, .md, .tex, .html, .json or .txt.
func (r *Report) Write(path string) {
	writeGrid(path, func(string) *results.Grid { return r.grid() })
}
