package retrieve

import (
	"encoding/csv"
	"io"
	"strings"
)

// WriteCSV writes the reply in the columns of its form.
func (x *Reply) WriteCSV(w io.Writer) error {
	switch {
	case x.Answer != nil:
		return x.Answer.WriteCSV(w)
	case x.Combination != nil:
		return x.Combination.WriteCSV(w)
	}
	return x.Relations.WriteCSV(w)
}

// WriteCSVOf writes the reply in columns that all forms share, with the question in front: "query" as it was written,
// and head, relation and tail as the graph calls them. What a form lacks is empty: an
// expression has no slack, but a probability or a score. The answers to HEAD ? TAIL are
// relations. The first reply of a file has the names of columns above.
func (x *Reply) WriteCSVOf(w io.Writer, first bool) error {
	var lines [][]string
	if first {
		lines = append(lines, append(append([]string{"query", "head", "relation", "tail"}, answerColumns...),
			"score"))
	}
	question := []string{x.Question.String(), "", "", ""}
	add := func(line []string) { lines = append(lines, append(append([]string{}, question...), line...)) }
	switch {
	case x.Answer != nil:
		question = append(question[:1], x.Answer.Head, x.Answer.Relation, x.Answer.Tail)
		for _, line := range x.Answer.lines() {
			add(append(line, ""))
		}
	case x.Combination != nil:
		for _, m := range x.Combination.Set {
			add(fields(m.Name, m.Label, true, m.Known, "", "", "", "", m.Itself, m.Mark, probabilityField(m.Probability),
				probabilityField(m.Score)))
		}
	default:
		question = append(question[:1], x.Relations.Head, x.Relations.Relation, x.Relations.Tail)
		for _, f := range x.Relations.Facts {
			add(fields(f.Relation, f.Relation, f.InSet, f.Known, strings.Join(f.Splits, " "), "", "", f.Slack, false, f.Mark,
				probabilityField(f.Probability), f.Score))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
