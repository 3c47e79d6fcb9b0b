package session

import (
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Bindings lists for each answer the facts on its best way, in the order of the question: which entities stand between
// the question and the answer, and whether each fact is known or how likely it is.
//
//	run.Ask("Max Born", "advised", "?").Then("advised").Bindings()
func (s *Set) Bindings() *Rows {
	rows := &Rows{columns: []string{"answer", "head", "relation", "tail", "mark"}, title: "the facts behind " + s.title()}
	number := "score"
	if s.set.Scale == retrieve.OfProbability {
		number = "probability"
	}
	if !s.set.OfOneQuery() {
		rows.columns = append(rows.columns, number)
	}
	for _, e := range s.set.Members {
		for _, b := range s.set.Bindings(e) {
			row := []interface{}{s.trained.Graph.Label(e), b.Head, b.Relation, b.Tail, b.Mark.String()}
			switch {
			case s.set.OfOneQuery():
			case b.Probability != nil:
				row = append(row, *b.Probability)
			case b.Score != nil:
				row = append(row, *b.Score)
			default:
				row = append(row, nil)
			}
			rows.values = append(rows.values, row)
		}
	}
	return rows
}
