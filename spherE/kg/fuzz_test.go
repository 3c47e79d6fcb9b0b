package kg

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/expect"
)

// parse reads one text as the training split.
func parse(text []byte, read func(*lineReader, Split, *builder) (part, error)) (*Graph, error) {
	b := newBuilder()
	p, err := read(newLineReader(bytes.NewReader(text), "f"), Train, b)
	if err != nil {
		return nil, err
	}
	b.parts[Train] = p
	b.parts[Valid].split, b.parts[Test].split = Valid, Test
	return b.graph("fuzz", ""), nil
}

// namesOf returns the training triples as names.
func namesOf(g *Graph) [][3]string {
	out := make([][3]string, len(g.Train))
	for i, x := range g.Train {
		out[i] = [3]string{g.Entities.Name(x.Head), g.Relations.Name(x.Relation), g.Entities.Name(x.Tail)}
	}
	return out
}

func checkParsed(t *testing.T, g *Graph, lines int) {
	t.Helper()
	if len(g.Train) == 0 {
		t.Fatal("a graph without triples")
	}
	for _, row := range namesOf(g) {
		for _, name := range row {
			if name == "" || !utf8.ValidString(name) || strings.IndexByte(name, 0) >= 0 {
				t.Fatalf("name %q", name)
			}
		}
	}
	for _, w := range g.Warnings {
		if w.Line < 1 || w.Line > lines || w.Count < 1 {
			t.Fatalf("warning %+v of %d lines", w, lines)
		}
	}
}

func checkParseError(t *testing.T, err error, lines int) {
	t.Helper()
	if err == errHeader { // the file is then read as a table
		return
	}
	fe, ok := err.(*FileError)
	if !ok || fe.File != "f" || fe.Line < 0 || fe.Line > lines || fe.Message == "" ||
		strings.ContainsAny(fe.Message, "\n") {
		t.Fatalf("error %#v of %d lines", err, lines)
	}
}

// oracleTSV is a simple implementation of the format: it returns the distinct rows, or false.
func oracleTSV(text string) ([][3]string, bool) {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	text = strings.TrimPrefix(text, "\ufeff")
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i < len(lines)-1 || text != "" {
			lines[i] = strings.TrimSuffix(lines[i], "\r")
		}
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	var rows [][3]string
	for i, line := range lines {
		f := strings.Split(line, "\t")
		if n := len(strings.Split(lines[0], "\t")); len(f) != n || n < 3 || n > 4 {
			return nil, false
		}
		for _, name := range f[:3] {
			if strings.TrimSpace(name) == "" {
				return nil, false
			}
		}
		if i == 0 && isHeader([]byte(line)) {
			return nil, false
		}
		if row := [3]string(f[:3]); !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows, len(rows) > 0
}

func FuzzParseTSV(f *testing.F) {
	f.Add([]byte("a\tr\tb\nb\tr\ta\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := bytes.Count(text, []byte{'\n'}) + 1
		want, ok := oracleTSV(string(text))
		g, err := parse(text, readTSV)
		if (err == nil) != ok {
			t.Fatalf("error %v, but the format says %v", err, ok)
		}
		if err != nil {
			checkParseError(t, err, lines)
			return
		}
		checkParsed(t, g, lines)
		got := namesOf(g)
		if len(got) != len(want) {
			t.Fatalf("%d triples, want %d", len(got), len(want))
		}
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Fatalf("triple %q is lost", row)
			}
		}
	})
}

// writeTerm writes a name as a term of N-Triples, with every possible escape.
func writeTerm(name string) string {
	escaped := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			switch {
			case r > 0xffff:
				fmt.Fprintf(&b, `\U%08X`, r)
			case r > 0x7e || r < ' ' || r == '"' || r == '\\':
				fmt.Fprintf(&b, `\u%04X`, r)
			default:
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	if strings.HasPrefix(name, "_:") {
		return name
	}
	if !strings.HasPrefix(name, `"`) {
		return "<" + escaped(name) + ">"
	}
	end := strings.LastIndexByte(name, '"')
	literal, rest := `"`+escaped(name[1:end])+`"`, name[end+1:]
	if datatype, ok := strings.CutPrefix(rest, "^^<"); ok {
		return literal + "^^<" + escaped(strings.TrimSuffix(datatype, ">")) + ">"
	}
	return literal + rest
}

// N-Triples written again with other escapes is the same graph.
func FuzzParseNTriples(f *testing.F) {
	f.Add([]byte("<a> <r> \"x\\u00e9\"@de . # c\n_:b <r> <c>."))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := bytes.Count(text, []byte{'\n'}) + 1
		g, err := parse(text, readNTriples)
		if err != nil {
			checkParseError(t, err, lines)
			return
		}
		checkParsed(t, g, lines)
		var again strings.Builder
		for _, row := range namesOf(g) {
			fmt.Fprintf(&again, "%s %s %s .\n", writeTerm(row[0]), writeTerm(row[1]), writeTerm(row[2]))
		}
		g2, err := parse([]byte(again.String()), readNTriples)
		if err != nil {
			t.Fatalf("written again as\n%s: %v", again.String(), err)
		}
		if g2.Digest() != g.Digest() {
			t.Fatalf("written again as\n%s it is another graph", again.String())
		}
	})
}

func FuzzParseOpenKE(f *testing.F) {
	f.Add([]byte("2\na\t0\nb 1\n"), []byte("1\nr 0\n"), []byte("2\n0 1 0\n1\t0\t0\n"))
	f.Fuzz(func(t *testing.T, entities, relations, triples []byte) {
		var lists [2]*openkeNames
		for i, text := range [2][]byte{entities, relations} {
			list, err := readOpenKENames(newLineReader(bytes.NewReader(text), "f"), "entity")
			if err != nil {
				checkParseError(t, err, bytes.Count(text, []byte{'\n'})+1)
				return
			}
			lists[i] = list
		}
		g, err := parse(triples, func(l *lineReader, s Split, b *builder) (part, error) {
			return readOpenKETriples(l, s, lists[0], lists[1], b)
		})
		lines := bytes.Count(triples, []byte{'\n'}) + 1
		if err != nil {
			checkParseError(t, err, lines)
			return
		}
		checkParsed(t, g, lines)
		for _, name := range g.Entities.names {
			if !slices.Contains(lists[0].names, name) {
				t.Fatalf("entity %q comes from nowhere", name)
			}
		}
		duplicates := 0
		for _, w := range g.Warnings {
			if w.Kind == DuplicateTriple {
				duplicates = w.Count
			}
		}
		var count int
		first, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(triples), "\ufeff")), "\n")
		if _, err := fmt.Sscan(first, &count); err != nil || count != len(g.Train)+duplicates {
			t.Fatalf("count %d (%v), %d triples, %d duplicates", count, err, len(g.Train), duplicates)
		}
	})
}

func FuzzReadLabels(f *testing.F) {
	f.Add([]byte("a\tAnna\nb\tBob\nx\ty\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := New("fuzz", [][3]string{{"a", "r", "b"}}, nil, nil)
		expect.NoError(t, err)
		lines := bytes.Count(text, []byte{'\n'}) + 1
		g.Labels, _, err = readLabels(newLineReader(bytes.NewReader(text), "f"), g.entities())
		if err != nil {
			checkParseError(t, err, lines)
			return
		}
		if g.Labels != nil && len(g.Labels) != 2 {
			t.Fatalf("labels %q", g.Labels)
		}
		for id, label := range g.Labels {
			if label != "" && !strings.Contains(string(text), g.Entities.Name(int32(id))+"\t"+label) {
				t.Fatalf("label %q comes from nowhere", label)
			}
		}
	})
}

// FuzzIndex takes three bytes per triple and compares with a plain set.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 1}, uint16(2), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, entities uint16, relations uint8) {
		ne, nr := int(entities)%400+1, int(relations)%20+1
		var triples []Triple
		for i := 0; i+2 < len(data) && i < 3000; i += 3 {
			triples = append(triples, Triple{int32(int(data[i]) * 7 % ne), int32(int(data[i+1]) % nr),
				int32(int(data[i+2]) * 3 % ne)})
		}
		checkIndex(t, ne, nr, triples[:len(triples)/2], triples[len(triples)/2:])
	})
}
