package results

import (
	"fmt"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// ReliabilityGrids returns the shares of right answers by probability, and how well promises were kept. CSV has both in
// one grid, JSON everything.
func ReliabilityGrids(r *answer.Reliability, format string) []*Grid {
	switch format {
	case "json":
		return []*Grid{{Records: r}}
	case "csv":
		return []*Grid{reliabilityLines(r)}
	}
	of := fmt.Sprintf("%s on %s, variant %s, run %s", sphere.Title(r.Model), r.Graph, r.Variant, r.RunName)
	bands := &Grid{Title: "Probabilities of " + of,
		Columns: []Column{{Key: "facts"}, {Key: "queries"}, {Key: "probability", Right: true},
			{Key: "entities", Right: true}, {Key: "mean", Right: true}, {Key: "share that is right", Right: true},
			{Key: "95 % interval", Right: true, LeaveOut: 1}}}
	for _, side := range r.Sides {
		bands.Rules = append(bands.Rules, len(bands.Rows))
		for _, b := range side.Bands {
			line := []string{side.Split, side.Side, fmt.Sprintf("%.3f to %.3f", b.From, b.To),
				fmt.Sprintf("%.0f", b.Entities), "", "", ""}
			if b.Entities > 0 {
				line = append(line[:4], fmt.Sprintf("%.4f", b.Mean), fmt.Sprintf("%.4f", b.Share),
					fmt.Sprintf("%.4f to %.4f", b.Low, b.High))
			}
			bands.Rows = append(bands.Rows, line)
		}
		bands.AddNote("%s, %s queries: ECE %.4f, Brier score %.4f, both of probabilities from .01 up", side.Split, side.Side,
			side.ECE, side.Brier)
	}
	bands.Rules = bands.Rules[1:]
	bands.AddNote("valid: half of the validation queries, by probabilities that are fitted on the other half")
	grids := []*Grid{bands, returnedGrid(r)}
	if len(r.Promises) > 0 {
		grids = append(grids, promiseGrid(r))
	}
	if len(r.Coverages) > 0 {
		grids = append(grids, coverageGrid(r))
	}
	return grids
}

// returnedGrid compares the probabilities of answers by one query with those by both queries, in bands of about equally
// many answers.
func returnedGrid(r *answer.Reliability) *Grid {
	g := &Grid{Title: fmt.Sprintf("Probabilities of what cut %s returns to queries of the %s facts", r.Returned, r.Split),
		Columns: []Column{{Key: "probability"}, {Key: "answers"}, {Key: "from", Right: true}, {Key: "to", Right: true},
			{Key: "entities", Right: true}, {Key: "mean", Right: true}, {Key: "share that is right", Right: true},
			{Key: "95 % interval", Right: true, LeaveOut: 1}}}
	for _, of := range returnedBy(r) {
		for _, b := range of.bands {
			g.Rows = append(g.Rows, []string{of.by, of.answers, fmt.Sprintf("%.3f", b.From), fmt.Sprintf("%.3f", b.To),
				fmt.Sprintf("%.0f", b.Entities), fmt.Sprintf("%.4f", b.Mean), fmt.Sprintf("%.4f", b.Share),
				fmt.Sprintf("%.4f to %.4f", b.Low, b.High)})
		}
		g.Rules = append(g.Rules, len(g.Rows))
	}
	g.Rules = g.Rules[:max(0, len(g.Rules)-1)]
	g.AddNote("ECE of what is returned: %.4f by the query alone, %.4f by both queries of the fact, which answers show",
		r.Facts.OneSide.ECE, r.Facts.BothSides.ECE)
	return g
}

// returnedBands returns the bands of returned answers by a kind of probability.
type returnedBands struct {
	by, answers string
	bands       []eval.Band
}

func returnedBy(r *answer.Reliability) []returnedBands {
	one, both := r.Facts.OneSide, r.Facts.BothSides
	return []returnedBands{{"one query", "all", one.Bands}, {"both queries", "all", both.Bands},
		{"one query", "above .2", one.Likely}, {"both queries", "above .2", both.Likely}}
}

func promiseGrid(r *answer.Reliability) *Grid {
	g := &Grid{Title: "Promised and measured, new answers: precision / recall",
		Columns: []Column{{Key: "promise"}, {Key: "from probability", Right: true}, {Key: "fitted on", Right: true},
			{Key: "other half of valid", Right: true}, {Key: "test", Right: true}}}
	for _, p := range r.Promises {
		line := []string{p.Cut, "", "", "", ""}
		if p.Reached {
			line = []string{p.Cut, fmt.Sprintf("%.3f", p.Probability), keptText(&p.Fitted), keptText(&p.Measured),
				keptText(p.Test)}
		} else {
			g.AddNote("%s: no threshold reaches it on the validation facts, so sets are empty", p.Cut)
		}
		g.Rows = append(g.Rows, line)
	}
	return g
}

// coverageGrid compares what sets are to cover with what they cover of the test facts.
func coverageGrid(r *answer.Reliability) *Grid {
	g := &Grid{Title: "Promised and measured coverage of right new answers",
		Columns: []Column{{Key: "promise"}, {Key: "queries"}, {Key: "decided by", Right: true}, {Key: "covered", Right: true},
			{Key: "mean size", Right: true}, {Key: "least", Right: true}, {Key: "of relation"}}}
	for _, c := range r.Coverages {
		for _, side := range c.Sides {
			line := []string{c.Cut, side.Side, fmt.Sprint(side.Answers), "", "", "", ""}
			if t := side.Test; t != nil {
				line = append(line[:3], fmt.Sprintf("%.3f", t.Covered), fmt.Sprintf("%.1f", t.Size), "", "")
				if t.Of != "" {
					line = append(line[:5], fmt.Sprintf("%.3f", t.Worst), t.Of)
				}
			}
			g.Rows = append(g.Rows, line)
		}
	}
	first := r.Coverages[0].Sides
	g.AddNote("decided by: right answers of one half of the validation queries; %d and %d relations have enough to decide alone",
		first[0].Relations, first[1].Relations)
	g.AddNote("covered, mean size: of the test facts; least: of the relations with 50 test facts or more")
	return g
}

func keptText(k *eval.Kept) string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf("%.3f / %.3f", k.Precision, k.Recall)
}

// reliabilityLines returns a line per band, and one per promise and facts.
func reliabilityLines(r *answer.Reliability) *Grid {
	g := &Grid{}
	for _, key := range []string{"what", "facts", "queries", "from", "to", "entities", "mean", "share", "low", "high",
		"precision", "recall"} {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	add := func(values ...any) {
		line := make([]string, len(values))
		for i, v := range values {
			line[i] = fmt.Sprint(v)
		}
		g.Rows = append(g.Rows, line)
	}
	for _, side := range r.Sides {
		for _, b := range side.Bands {
			if b.Entities > 0 {
				add("band", side.Split, side.Side, b.From, b.To, b.Entities, b.Mean, b.Share, b.Low, b.High, "", "")
			}
		}
	}
	for _, of := range returnedBy(r) {
		for _, b := range of.bands {
			add("returned, "+of.answers, r.Split, of.by, b.From, b.To, b.Entities, b.Mean, b.Share, b.Low, b.High, "", "")
		}
	}
	for _, c := range r.Coverages {
		for _, side := range c.Sides {
			if t := side.Test; t != nil {
				add(c.Cut, "test", side.Side, "", "", t.Size, "", t.Covered, t.Worst, "", "", "")
			}
		}
	}
	for _, p := range r.Promises {
		from := ""
		if p.Reached {
			from = fmt.Sprint(p.Probability)
		}
		kept := func(facts string, k *eval.Kept) {
			if k != nil {
				add(p.Cut, facts, "", from, "", "", "", "", "", "", k.Precision, k.Recall)
			}
		}
		kept("fitted", &p.Fitted)
		kept("valid", &p.Measured)
		kept("test", p.Test)
	}
	return g
}
