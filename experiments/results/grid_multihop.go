package results

import (
	"fmt"
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/multihop"
)

// MultihopGrid has a row per query type, and the means over types.
func MultihopGrid(r *answer.Run, report *multihop.Report) *Grid {
	g := &Grid{
		Title: "Questions of several steps, " + r.Title(),
		Columns: []Column{{Key: "type"}, {Key: "questions", Right: true}, {Key: "hard_answers", Heading: "hard", Right: true},
			{Key: "mrr", Heading: "MRR", Right: true}, {Key: "hits_10", Heading: "Hits@10", Right: true},
			{Key: "hard_found", Heading: "found", Right: true}, {Key: "join_f1", Heading: "join F1", Right: true},
			{Key: "f1", Heading: "F1", Right: true}, {Key: "difference", Right: true}},
		Records: report,
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	for _, t := range report.Types {
		g.Rows = append(g.Rows, []string{string(t.Type), strconv.Itoa(t.Questions), strconv.Itoa(t.HardAnswers),
			number(t.MRR), number(t.Hits10), number(t.HardFound), number(t.JoinF1), number(t.F1),
			fmt.Sprintf("%+.3f to %+.3f", t.Difference.Low, t.Difference.High)})
	}
	g.Rules = []int{len(g.Rows)}
	mean := func(name string, m *multihop.Means) {
		if m != nil {
			g.Rows = append(g.Rows, []string{name, "", "", number(m.MRR), "", "", number(m.JoinF1), number(m.F1), ""})
		}
	}
	mean("mean without negation", report.Positive)
	mean("mean with negation", report.Negated)
	g.AddNote("MRR, Hits@10 and found are over hard answers, which need a test fact: filtered ranks, and the share that is in" +
		" the answer set. F1 is that of whole answer sets; join F1 that of what known facts give alone.")
	if report.Left > 0 {
		g.AddNote("%d questions have no answer by the facts of all splits, and are left out.", report.Left)
	}
	return g
}
