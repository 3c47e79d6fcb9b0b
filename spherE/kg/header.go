package kg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
)

// columnNames lists the words of a header line by column, the plainest first. Of two columns that may be the head, the
// one with the earlier word is taken.
var columnNames = [4][]string{
	{"head", "subject", "source", "from", "h", "s", "src", "start", "subj", "entity1", "node1"},
	{"relation", "predicate", "edge", "relationship", "rel", "r", "p", "pred", "property", "link", "type", "label",
		"relation_type", "edge_type", "relationship_type", "rel_type", "interaction"},
	{"tail", "object", "target", "to", "t", "o", "dst", "destination", "end", "obj", "entity2", "node2"},
	{"split", "subset"},
}

// strongRelations are words of a header that no entity or relation is likely to have as its name.
var strongRelations = []string{"relation", "predicate", "relationship", "relation_type", "edge_type",
	"relationship_type", "rel_type"}

// headerColumns finds head, relation, tail and split in the words of a header line. A missing column is -1. ok is false
// if head, relation or tail is missing.
func headerColumns(words []string) (columns [4]int, ok bool) {
	columns = [4]int{-1, -1, -1, -1}
	for c, names := range columnNames {
		best := len(names)
		for i, word := range words {
			for _, form := range headerForms(word) {
				if at := slices.Index(names, form); at >= 0 && at < best {
					columns[c], best = i, at
				}
			}
		}
	}
	return columns, columns[0] >= 0 && columns[1] >= 0 && columns[2] >= 0
}

// headerForms lists the forms of a header word to look up, without case, marks and endings that do not change its
// meaning: "Head ID", "#head" and "head_name" all stand for head. Of Neo4j's "gene:START_ID(Gene)" the parts before and
// after the colon are looked up.
func headerForms(word string) []string {
	if at := strings.IndexByte(word, '('); at > 0 && strings.HasSuffix(strings.TrimSpace(word), ")") {
		word = word[:at]
	}
	forms := []string{headerWord(word)}
	if at := strings.LastIndexByte(word, ':'); at >= 0 {
		forms = append(forms, headerWord(word[at+1:]), headerWord(word[:at]))
	}
	return forms
}

func headerWord(word string) string {
	word = strings.ToLower(strings.Trim(word, " #:?_\""))
	for _, ending := range []string{"id", "name", "label", "entity"} {
		for _, sign := range []string{" ", "_", "-"} {
			if short, ok := strings.CutSuffix(word, sign+ending); ok {
				return short
			}
		}
	}
	return word
}

// header finds the columns by what all lines have in common, and whether the first line is a header.
func (f *tripleFile) header(line int, s *survey, comma rune) error {
	f.width = len(s.first)
	if f.reading.Columns != "" {
		columns, byHeader, fault := f.reading.findNamed(s.first)
		if fault != "" {
			return f.fail(line, "%s", fault)
		}
		f.columns, f.hasHeading = columns, byHeader || namesColumns(s, columns)
	} else if known, ok := headerColumns(s.first); ok {
		if f.reading.Relation != "" {
			return f.fail(line, "the column %q holds relations, and one relation is given for all lines; leave that out,"+
				" or name the columns of head and tail alone", s.first[known[1]])
		}
		f.columns, f.hasHeading = known, true
	} else if known[0] >= 0 && known[2] >= 0 && f.reading.Relation != "" {
		f.columns, f.hasHeading = known, true
		f.columns[1] = -1
	} else if named, err := f.findPartlyNamed(line, s, known); named || err != nil {
		return err
	} else if err := f.byPlace(line, s, comma); err != nil {
		return err
	}
	if f.inFolder {
		f.columns[3] = -1
	}
	return nil
}

// namesColumns reports whether the first line names columns that are asked for.
func namesColumns(s *survey, columns [4]int) bool {
	known, ok := headerColumns(s.first)
	if ok || s.first[0] == "" {
		return true
	}
	matches := 0
	for c, at := range columns {
		if at >= 0 && known[c] == at && !s.again[at] {
			matches++
			if c == 1 && strongRelation(s.first[at]) {
				matches++
			}
		}
	}
	return matches > 1
}

func strongRelation(word string) bool {
	return slices.ContainsFunc(headerForms(word),
		func(form string) bool { return slices.Contains(strongRelations, form) })
}

// findPartlyNamed finds the columns by a header line in which some words are known and the others can be only one
// column each, such as gene,relation,disease or source,target,interaction. It reports whether there is such a line.
func (f *tripleFile) findPartlyNamed(line int, s *survey, known [4]int) (bool, error) {
	strong := known[1] >= 0 && strongRelation(s.first[known[1]])
	if known[1] >= 0 && !strong {
		known[1] = -1
	}
	ends := known[0] >= 0 && known[2] >= 0
	if s.lines < 2 || !strong && !ends || f.reading.Relation != "" {
		return false, nil
	}
	var rest, missing []int
	for c, word := range s.first {
		switch {
		case slices.Contains(known[:], c):
			if s.again[c] {
				return false, nil
			}
		case (word == "" || strings.HasPrefix(word, "Unnamed")) && s.index(c, true):
		case s.again[c]:
			return false, nil
		default:
			rest = append(rest, c)
		}
	}
	for c := range 3 {
		if known[c] < 0 {
			missing = append(missing, c)
		}
	}
	if ends && len(rest) == 1 && s.numbers[rest[0]] {
		return false, f.ask(line, hint.NameColumns, "head,tail,-",
			"the column %q has only numbers, which are not relations; one relation for all lines is needed", s.first[rest[0]])
	}
	if ends && len(rest) == 0 {
		return false, f.ask(line, hint.NameRelation, "NAME", "the header line has head and tail, but no relation")
	}
	if len(rest) != len(missing) {
		example := known
		for i, c := range missing {
			if i < len(rest) {
				example[c] = rest[i]
			}
		}
		var names []string
		for _, at := range example[:3] {
			if at >= 0 {
				names = append(names, s.first[at])
			}
		}
		return false, f.ask(line, hint.NameColumns, strings.Join(names, ","),
			"the header line has %s: which of them are head, relation and tail?", quotedList(s.first))
	}
	for i, c := range missing {
		known[c] = rest[i]
	}
	f.columns, f.hasHeading = known, true
	return true, nil
}

// byPlace finds the columns by their number and what they hold.
func (f *tripleFile) byPlace(line int, s *survey, comma rune) error {
	from, left := 0, f.width
	switch {
	case s.first[0] == "" && s.index(0, true): // pandas
		f.hasHeading = true
		from, left = 1, left-1
	case left > 3 && s.index(0, false):
		from, left = 1, left-1
	}
	if from == 1 {
		f.note(line, "the first column counts the lines and is left out")
	}
	last := f.width - 1
	f.columns = [4]int{from, from + 1, from + 2, -1}
	f.isPlaced = true
	if f.reading.Relation != "" {
		f.columns = [4]int{from, -1, from + 1, -1}
		_, isSplit := splitOf(s.first[last])
		switch {
		case left == 2:
		case left == 3 && isSplit && s.splits[last]:
			f.columns[3] = last
		default:
			return f.ask(line, hint.NameColumns, "head,tail,-", "%s, and one relation is given for all lines: which are head"+
				" and tail?", quantity.CountOf(left, "column", "columns"))
		}
		return nil
	}
	switch {
	case left == 3 && from == 0 && s.index(0, false):
		f.isCounted = true
	case left == 3:
	case left == 4:
		f.columns[3] = last
	case left == 2:
		return f.ask(line, hint.NameRelation, "NAME", "2 columns, expected 3 (head, relation, tail); a file of heads and"+
			" tails needs one relation for all lines")
	case left < 2 && strings.HasSuffix(s.first[last], "}"):
		return f.fail(line, "attributes in braces are not read; networkx writes columns with"+
			` write_edgelist(G, path, delimiter="\t", data=["relation"])`)
	default:
		return f.ask(line, hint.NameColumns, "head,relation,tail", "%s, expected 3 (head, relation, tail) or 4 (with the"+
			" split), separated by a %s; other columns need a header line that names head, relation and tail",
			quantity.CountOf(left, "column", "columns"), commaName(comma))
	}
	return nil
}

// ask returns an error that asks the user to name the columns.
func (f *tripleFile) ask(line int, action hint.Action, subject, format string, args ...any) error {
	return hint.With(f.fail(line, format, args...), hint.Hint{Action: action, Subject: subject})
}

// note adds a warning of how columns were recognised.
func (f *tripleFile) note(line int, text string) {
	f.b.warnings = append(f.b.warnings,
		Warning{Kind: ColumnsGuessed, File: f.path, Line: line, Count: 1, Message: text})
}

// suspectHeaders warns of first lines that look like a header whose words are not known: nothing else in the graph has
// the line's relation, head or tail. Ids are still those of the builder.
func (b *builder) suspectHeaders() []Warning {
	triples := 0
	suspects := map[Triple]bool{}
	for _, p := range b.parts {
		triples += len(p.triples)
		if p.first != nil {
			suspects[*p.first] = true
		}
	}
	if triples < 3 || len(suspects) == 0 {
		return nil
	}
	entities, relations := make([]bool, len(b.entities.list)), make([]bool, len(b.relations.list))
	for _, p := range b.parts {
		for _, t := range p.triples {
			if !suspects[t] {
				entities[t.Head], entities[t.Tail], relations[t.Relation] = true, true, true
			}
		}
	}
	var out []Warning
	for _, p := range b.parts {
		t := p.first
		if t == nil || entities[t.Head] || entities[t.Tail] || relations[t.Relation] {
			continue
		}
		out = append(out, Warning{Kind: SuspectHeader, Split: p.split, File: p.file, Line: p.firstLine, Count: 1,
			Message: fmt.Sprintf("%q, %q, %q may be a header line: its names occur nowhere else; it is read as a triple; "+
				"remove it, or name its columns head, relation, tail",
				b.entities.list[t.Head], b.relations.list[t.Relation], b.entities.list[t.Tail])})
	}
	return out
}
