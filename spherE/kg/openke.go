package kg

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/spherelab/spherelab/internal/quantity"
)

// openkeNames is the content of an entity2id or relation2id file.
type openkeNames struct {
	kind  string // "entity" or "relation"
	file  string
	names []string
	lines []int32 // line by id
	ids   []int32 // id in the builder by id in the file, -1 until a triple uses it
}

// readCount reads the first line of an OpenKE file: the number of lines that follow.
func readCount(l *lineReader) (int, error) {
	text, err := l.nextFilled()
	if err == io.EOF {
		return 0, &FileError{File: l.file, Message: "the file is empty", Err: errNoTriple}
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 32)
	if err != nil || n < 0 {
		return 0, l.fail("%q is not a count; the first line says how many lines follow", shorten(text))
	}
	return int(n), nil
}

// checkCount compares the count in the first line with the number of lines.
func checkCount(l *lineReader, count, got int) error {
	if count != got {
		return l.failAt(1, "the count is %d, but the file holds %d; is it complete?", count, got)
	}
	if got == 0 {
		return &FileError{File: l.file, Line: 1, Message: "the count is 0: the file is empty", Err: errNoTriple}
	}
	return nil
}

// readOpenKENames reads a count and "name id" lines. Ids are 0 to count-1 in any order. The id follows the last tab of
// a line or, without a tab, the last space.
func readOpenKENames(l *lineReader, kind string) (*openkeNames, error) {
	count, err := readCount(l)
	if err != nil {
		return nil, err
	}
	n := &openkeNames{kind: kind, file: l.file}
	type entry struct {
		id   int32
		line int32
		name string
	}
	// Read the lines before allocating by the count, which may be wrong.
	var entries []entry
	seen := make(map[string]int32)
	for {
		text, err := l.nextFilled()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		text = bytes.TrimRight(text, " \t")
		at := bytes.LastIndexByte(text, '\t')
		if at < 0 {
			at = bytes.LastIndexByte(text, ' ')
		}
		if at < 0 {
			return nil, l.fail("1 column, expected 2: name and id")
		}
		name := string(text[:at])
		id, err := strconv.ParseInt(string(bytes.TrimSpace(text[at+1:])), 10, 32)
		switch {
		case err != nil:
			return nil, l.fail("%q is not an id; expected the name, then the id", shorten(text[at+1:]))
		case len(bytes.TrimSpace([]byte(name))) == 0:
			return nil, l.fail("the %s is empty", kind)
		case id < 0 || id >= int64(count):
			return nil, l.fail("id %d is not in the range 0 to %d of the count in line 1", id, count-1)
		}
		if first, ok := seen[name]; ok {
			return nil, l.fail("%s %q is already in line %d", kind, name, first)
		}
		seen[name] = int32(l.line)
		entries = append(entries, entry{int32(id), int32(l.line), name})
	}
	if err := checkCount(l, count, len(entries)); err != nil {
		return nil, err
	}
	n.names, n.lines, n.ids = make([]string, count), make([]int32, count), make([]int32, count)
	for _, e := range entries {
		if n.lines[e.id] != 0 {
			return nil, l.failAt(int(e.line), "id %d is already in line %d", e.id, n.lines[e.id])
		}
		n.names[e.id], n.lines[e.id], n.ids[e.id] = e.name, e.line, -1
	}
	return n, nil
}

// use returns the id in the builder for an id in the file.
func (n *openkeNames) use(id int32, to *names) int32 {
	if n.ids[id] < 0 {
		n.ids[id] = to.id([]byte(n.names[id]))
	}
	return n.ids[id]
}

// unused describes the names that are in no triple.
func (n *openkeNames) unused() []Warning {
	w := Warning{Kind: UnusedName, File: n.file}
	first := ""
	for id, used := range n.ids {
		if used >= 0 {
			continue
		}
		if w.Count++; w.Line == 0 || int(n.lines[id]) < w.Line {
			w.Line, first = int(n.lines[id]), n.names[id]
		}
	}
	if w.Count == 0 {
		return nil
	}
	many := "entities are"
	if n.kind == "relation" {
		many = "relations are"
	}
	w.Message = fmt.Sprintf("%s in no triple and left out; the first is %q", quantity.CountOf(w.Count, n.kind+" is", many), first)
	return []Warning{w}
}

// readOpenKETriples reads a count and "head tail relation" lines of ids.
func readOpenKETriples(l *lineReader, s Split, entities, relations *openkeNames, b *builder) (part, error) {
	count, err := readCount(l)
	if err != nil {
		return part{}, err
	}
	p := part{split: s, file: l.file, skipped: l.line}
	for {
		text, err := l.nextFilled()
		if err == io.EOF {
			break
		}
		if err != nil {
			return part{}, err
		}
		fields := [3][]byte{}
		rest, n := text, 0
		for {
			rest = bytes.TrimLeft(rest, " \t")
			if len(rest) == 0 {
				break
			}
			end := bytes.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			if n < 3 {
				fields[n] = rest[:end]
			}
			n++
			rest = rest[end:]
		}
		if n != 3 {
			return part{}, l.fail("%s, expected 3: head id, tail id, relation id", quantity.CountOf(n, "column", "columns"))
		}
		var ids [3]int32
		for c, from := range [3]*openkeNames{entities, entities, relations} {
			what := [3]string{"head", "tail", "relation"}[c]
			id, err := strconv.ParseInt(string(fields[c]), 10, 32)
			if err != nil {
				return part{}, l.fail("the %s %q is not an id", what, shorten(fields[c]))
			}
			if id < 0 || id >= int64(len(from.names)) {
				return part{}, l.fail("the %s id %d is not in %s, which has 0 to %d", what, id, from.file,
					len(from.names)-1)
			}
			ids[c] = int32(id)
		}
		p.triples = append(p.triples, Triple{
			Head:     entities.use(ids[0], &b.entities),
			Relation: relations.use(ids[2], &b.relations),
			Tail:     entities.use(ids[1], &b.entities),
		})
	}
	if err := checkCount(l, count, len(p.triples)); err != nil {
		return part{}, err
	}
	return p, nil
}

// shorten shortens text for a message.
func shorten(text []byte) string {
	const maximum = 40
	if len(text) <= maximum {
		return string(text)
	}
	return string(bytes.ToValidUTF8(text[:maximum], nil)) + "..."
}
