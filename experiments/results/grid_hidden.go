package results

import (
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/quantity"
)

// HiddenGrid has a row per side of the facts of a file, laid out for a format. against is nil if there is no other run.
func HiddenGrid(r, against *answer.Run, report *answer.HiddenReport, format string) *Grid {
	if format == "json" {
		return &Grid{Records: report}
	}
	g := &Grid{
		Title: "Facts that the graph does not hold, " + r.Title(),
		Columns: []Column{{Key: "side"}, {Key: "facts", Right: true}, {Key: "mrr", Heading: "MRR", Right: true},
			{Key: "low", Right: true}, {Key: "high", Right: true}, {Key: "hits_1", Heading: "Hits@1", Right: true},
			{Key: "hits_3", Heading: "Hits@3", Right: true}, {Key: "hits_10", Heading: "Hits@10", Right: true}},
	}
	if against != nil {
		g.Columns = append(g.Columns, Column{Key: "against", Right: true}, Column{Key: "difference", Right: true},
			Column{Key: "difference_low", Heading: "low", Right: true},
			Column{Key: "difference_high", Heading: "high", Right: true})
	}
	number, difference := func(x float64) string { return quantity.Fraction(x, 3) }, signed
	if format == "csv" {
		number, difference = quantity.Exact, quantity.Exact
	}
	for _, s := range report.Scores {
		row := []string{s.Side, strconv.Itoa(s.Triples), number(s.MRR), "", "", number(s.Hits1), number(s.Hits3),
			number(s.Hits10)}
		if s.Interval != nil {
			row[3], row[4] = number(s.Interval.Low), number(s.Interval.High)
		}
		if d := s.Against; d != nil {
			row = append(row, number(d.B), difference(d.Difference), "", "")
			if s.Interval != nil {
				row[len(row)-2], row[len(row)-1] = difference(d.Interval.Low), difference(d.Interval.High)
			}
		}
		g.Rows = append(g.Rows, row)
	}
	itself := ""
	if r.Config.Eval.DropItself {
		itself = ", and without the asked entity where no training fact of the relation is a loop"
	}
	g.AddNote("Ranks are among all entities, without the other right answers of the graph and of the file%s.", itself)
	if report.Resamples > 0 {
		g.AddNote("low, high: 95 %% interval, from %d resamples of the distinct queries.", report.Resamples)
	}
	if against != nil {
		g.AddNote("against: MRR of %s, on the same facts.", Read(against.Info))
	}
	if n := len(report.Left); n > 0 {
		g.AddNote("%s left out: %s.", quantity.CountOf(n, "fact is", "facts are"), answer.LeftText(report.Left))
	}
	if n := len(report.LeftAgainst); n > 0 {
		g.AddNote("%s left out by the other run's graph: %s.", quantity.CountOf(n, "fact is", "facts are"),
			answer.LeftText(report.LeftAgainst))
	}
	return g
}
