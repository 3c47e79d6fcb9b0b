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
// and head, relation and tail as the graph calls them. All numbers can be compared across questions, so slack is not
// one of them. Columns that a form lacks are empty. The answers to HEAD ? TAIL are relations. The first reply of a file
// is preceded by the names of the columns.
func (x *Reply) WriteCSVOf(w io.Writer, first bool) error {
	var lines [][]string
	if first {
		lines = append(lines, []string{"query", "head", "relation", "tail", "entity", "label", "in_set", "known", "splits",
			"distance", "score", "itself", "mark", "probability", "note"})
	}
	question := []string{x.Question.String(), "", "", ""}
	add := func(line []string) { lines = append(lines, append(append([]string{}, question...), line...)) }
	switch {
	case x.Answer != nil:
		question = append(question[:1], x.Answer.Head, x.Answer.Relation, x.Answer.Tail)
		x.Answer.each(func(m Member, inSet bool) {
			add(fields(m.Name, m.Label, inSet, m.Known, strings.Join(m.Splits, " "), m.Distance, m.Score, m.Itself, m.Mark,
				probabilityField(m.Probability), x.Answer.Note))
		})
	case x.Combination != nil:
		for _, m := range x.Combination.Set {
			add(fields(m.Name, m.Label, true, m.Known, "", "", probabilityField(m.Score), m.Itself, m.Mark,
				probabilityField(m.Probability), strings.Join(x.Combination.Notes, "; ")))
		}
	default:
		question = append(question[:1], x.Relations.Head, x.Relations.Relation, x.Relations.Tail)
		for _, f := range x.Relations.Facts {
			add(fields(f.Relation, f.Relation, f.InSet, f.Known, strings.Join(f.Splits, " "), "", f.Score, false, f.Mark,
				probabilityField(f.Probability), ""))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
