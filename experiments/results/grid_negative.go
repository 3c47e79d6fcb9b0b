package results

import (
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/eval"
)

// NegativeGrid has a row per side of the ranks among given negatives, and next to them those among all entities.
func NegativeGrid(r *answer.Run, report *answer.NegativeReport, format string) *Grid {
	if format == "json" {
		return &Grid{Records: report}
	}
	title := r.Title()
	if r.Info.ID == "" { // of judge
		title = r.Info.Name
	}
	g := &Grid{
		Title: "Test facts among given negatives, " + title,
		Columns: []Column{{Key: "side"}, {Key: "facts", Right: true}, {Key: "negatives", Right: true},
			{Key: "mrr", Heading: "MRR", Right: true}, {Key: "hits_1", Heading: "Hits@1", Right: true},
			{Key: "hits_3", Heading: "Hits@3", Right: true}, {Key: "hits_10", Heading: "Hits@10", Right: true},
			{Key: "full_mrr", Heading: "full MRR", Right: true}, {Key: "full_hits_1", Heading: "Hits@1", Right: true},
			{Key: "full_hits_3", Heading: "Hits@3", Right: true}, {Key: "full_hits_10", Heading: "Hits@10", Right: true}},
	}
	number := func(x float64) string { return quantity.Fraction(x, 3) }
	if format == "csv" {
		number = quantity.Exact
	}
	given, full := report.Given, report.Full
	row := func(side string, of eval.RankScores, negatives int, all eval.RankScores) {
		cells := []string{side, strconv.Itoa(of.Triples), strconv.Itoa(negatives)}
		for _, s := range []eval.RankScores{of, all} {
			cells = append(cells, number(s.MRR), number(s.Hits1), number(s.Hits3), number(s.Hits10))
		}
		g.Rows = append(g.Rows, cells)
	}
	row("head", given.Head, given.Negatives[0], full.Head)
	row("tail", given.Tail, given.Negatives[1], full.Tail)
	row("both", given.Both, given.Negatives[0]+given.Negatives[1], full.Both)
	g.AddNote("MRR, Hits: each answer is ranked among the negatives that are given for its query, by the rule of OGB: the rank " +
		"of tied scores is the mean of the best and the worst place.")
	g.AddNote("full: filtered ranks among all entities.")
	return g
}
