package kg

import (
	"fmt"
	"slices"
	"strings"
)

// columnNames lists the words of a header line by column, the plainest first: of two columns that may be the head, the
// one with the earlier word is.
var columnNames = [4][]string{
	{"head", "subject", "source", "from", "h", "s", "src", "start", "subj", "entity1", "node1"},
	{"relation", "predicate", "edge", "relationship", "rel", "r", "p", "pred", "property", "link", "type", "label"},
	{"tail", "object", "target", "to", "t", "o", "dst", "destination", "end", "obj", "entity2", "node2"},
	{"split", "subset"},
}

// headerColumns finds head, relation, tail and split in the words of a header line. A missing column is -1. ok is false
// if the line is not a header because head, relation or tail is missing.
func headerColumns(words []string) (columns [4]int, ok bool) {
	columns = [4]int{-1, -1, -1, -1}
	for c, names := range columnNames {
		best := len(names)
		for i, word := range words {
			if at := slices.Index(names, headerWord(word)); at >= 0 && at < best {
				columns[c], best = i, at
			}
		}
	}
	return columns, columns[0] >= 0 && columns[1] >= 0 && columns[2] >= 0
}

// headerWord is a word of a header without case, marks and endings that say the same: "Head ID", "#head", "head_name".
func headerWord(word string) string {
	word = strings.ToLower(strings.Trim(word, " #:?"))
	for _, ending := range []string{"id", "name", "label", "entity"} {
		for _, sign := range []string{" ", "_", "-"} {
			if short, ok := strings.CutSuffix(word, sign+ending); ok {
				return short
			}
		}
	}
	return word
}

// separator is the separator of columns: the expected one, unless the first line has fewer than two of it and at least
// two of another.
func separator(first string, expected rune) rune {
	for _, comma := range []rune{expected, '\t', ';', ','} {
		if strings.Count(first, string(comma)) >= 2 {
			return comma
		}
	}
	return expected
}

// header finds the columns by the first line, and reports whether that line is a header.
func (f *tripleFile) header(line int, record []string, comma rune) (bool, error) {
	f.width = len(record)
	columns, ok := headerColumns(record)
	if ok {
		f.columns = columns
		return true, nil
	}
	f.columns = [4]int{0, 1, 2, -1}
	switch f.width {
	case 3:
	case 4:
		f.columns[3] = 3
	default:
		return false, f.fail(line, "%s, expected 3 (head, relation, tail) or 4 (with the split), separated by a %s;"+
			" other columns need a header line that names head, relation and tail",
			plural(f.width, "column", "columns"), commaName(comma))
	}
	return false, nil
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
