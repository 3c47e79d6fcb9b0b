package kg

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// readNTriples reads N-Triples (W3C, 2014). The name of an IRI is its text without the angle brackets, that of a blank
// node is _:label, and that of a literal is the decoded text in double quotes followed by its language or datatype, so
// that no literal has the name of an IRI. "x" and "x"^^xsd:string are one literal, as in RDF 1.1. The label of a blank
// node means the same node in all three files, because they are parts of one graph.
func readNTriples(l *lineReader, s Split, b *builder) (part, error) {
	p := part{split: s, file: l.file}
	namer := b.namer()
	defer namer.stop()
	for {
		text, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return part{}, err
		}
		t := terms{rest: text}
		t.space()
		if len(t.rest) == 0 || t.rest[0] == '#' {
			continue
		}
		names, fault := t.statement()
		if fault != "" {
			return part{}, l.fail("byte %d: %s", len(text)-len(t.rest)+1, fault)
		}
		if p.lines == nil && l.line != namer.len()+1 {
			// This is the first triple after a comment or a blank line: store the lines of triples from here on.
			p.lines = make([]int32, namer.len())
			for i := range p.lines {
				p.lines[i] = int32(i + 1)
			}
		}
		if p.lines != nil {
			p.lines = append(p.lines, int32(l.line))
		}
		namer.add(names[0], names[1], names[2])
	}
	p.triples = namer.triples()
	if len(p.triples) == 0 {
		return part{}, &FileError{File: l.file, Message: "the file is empty: it holds no triple", Err: errNoTriple}
	}
	return p, nil
}

// terms reads the terms of one line. A fault is a message; rest then starts at the fault.
type terms struct{ rest []byte }

func (t *terms) space() { t.rest = bytes.TrimLeft(t.rest, " \t") }

func (t *terms) statement() (names [3][]byte, fault string) {
	for c := range names {
		t.space()
		if names[c], fault = t.term(c); fault != "" {
			return names, fault
		}
	}
	t.space()
	if len(t.rest) == 0 || t.rest[0] != '.' {
		if len(t.rest) > 0 && (t.rest[0] == '<' || t.rest[0] == '_') {
			return names, "a fourth term; N-Quads are not read, only N-Triples"
		}
		return names, "the full stop that ends a triple is missing"
	}
	t.rest = t.rest[1:]
	t.space()
	if len(t.rest) > 0 && t.rest[0] != '#' {
		return names, "text after the full stop; one triple per line"
	}
	return names, ""
}

func (t *terms) term(c int) (name []byte, fault string) {
	what := [3]string{"subject", "predicate", "object"}[c]
	if len(t.rest) == 0 {
		return nil, "the " + what + " is missing"
	}
	switch t.rest[0] {
	case '<':
		return t.iri()
	case '_':
		if c == 1 {
			return nil, "the predicate is a blank node; it must be an IRI"
		}
		return t.blank()
	case '"':
		if c != 2 {
			return nil, "the " + what + " is a literal; only an object may be one"
		}
		return t.literal()
	}
	return nil, "the " + what + " is neither an <IRI>, a _:blank node nor, as an object, a \"literal\""
}

func (t *terms) iri() (name []byte, fault string) {
	whole := t.rest
	if name, fault = t.anyIRI(); fault == "" && bytes.HasPrefix(name, []byte("_:")) {
		// No IRI starts with _:, and it would clash with the name of a blank node.
		t.rest = whole
		return nil, "an IRI cannot begin with _:"
	}
	return name, fault
}

func (t *terms) anyIRI() (name []byte, fault string) {
	whole := t.rest
	t.rest = t.rest[1:]
	for i, ch := range t.rest {
		switch {
		case ch == '>':
			if i == 0 {
				return nil, "the IRI is empty"
			}
			name, t.rest = t.rest[:i:i], t.rest[i+1:]
			return name, ""
		case ch == '\\':
			return t.escapedIRI(i)
		case badInIRI(rune(ch)):
			t.rest = t.rest[i:]
			return nil, fmt.Sprintf("an IRI cannot hold %q", ch)
		}
	}
	t.rest = whole
	return nil, "the IRI has no closing >"
}

func badInIRI(r rune) bool {
	switch r {
	case '<', '>', '"', '{', '}', '|', '^', '`', '\\':
		return true
	}
	return r <= ' '
}

// escapedIRI continues to read an IRI whose first escape is at i.
func (t *terms) escapedIRI(i int) (name []byte, fault string) {
	whole := t.rest
	name = append(name, t.rest[:i]...)
	t.rest = t.rest[i:]
	for len(t.rest) > 0 {
		ch := t.rest[0]
		switch {
		case ch == '>':
			t.rest = t.rest[1:]
			return name, ""
		case ch == '\\':
			if len(t.rest) < 2 || (t.rest[1] != 'u' && t.rest[1] != 'U') {
				return nil, "an IRI can hold only \\u and \\U escapes"
			}
			at := t.rest
			r, fault := t.codePoint()
			if fault != "" {
				return nil, fault
			}
			if badInIRI(r) {
				t.rest = at
				return nil, fmt.Sprintf("an IRI cannot hold %q", r)
			}
			name = utf8.AppendRune(name, r)
		case badInIRI(rune(ch)):
			return nil, fmt.Sprintf("an IRI cannot hold %q", ch)
		default:
			name = append(name, ch)
			t.rest = t.rest[1:]
		}
	}
	t.rest = whole
	return nil, "the IRI has no closing >"
}

func (t *terms) blank() (name []byte, fault string) {
	if len(t.rest) < 3 || t.rest[1] != ':' {
		return nil, "a blank node is written _:label"
	}
	n := 2
	for n < len(t.rest) && inBlankLabel(t.rest[n]) {
		n++
	}
	for n > 2 && t.rest[n-1] == '.' { // a final dot ends the triple
		n--
	}
	if n == 2 || t.rest[2] == '-' || t.rest[2] == '.' {
		return nil, "a blank node's label begins with a letter, a digit or _"
	}
	name, t.rest = t.rest[:n:n], t.rest[n:]
	return name, ""
}

func inBlankLabel(ch byte) bool {
	return ch >= 0x80 || ch == '_' || ch == '-' || ch == '.' || ch == ':' ||
		'0' <= ch && ch <= '9' || 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z'
}

const xsdString = "http://www.w3.org/2001/XMLSchema#string"

func (t *terms) literal() (name []byte, fault string) {
	whole := t.rest
	name = append(name, '"')
	t.rest = t.rest[1:]
	closed := false
	for len(t.rest) > 0 && !closed {
		switch ch := t.rest[0]; ch {
		case '"':
			closed = true
			fallthrough
		default:
			name = append(name, ch)
			t.rest = t.rest[1:]
		case '\\':
			r, fault := t.escape()
			if fault != "" {
				return nil, fault
			}
			name = utf8.AppendRune(name, r)
		}
	}
	if !closed {
		t.rest = whole
		return nil, "the literal has no closing quote"
	}
	switch {
	case bytes.HasPrefix(t.rest, []byte("^^")):
		t.rest = t.rest[2:]
		if len(t.rest) == 0 || t.rest[0] != '<' {
			return nil, "the datatype of a literal must be an IRI"
		}
		datatype, fault := t.iri()
		if fault != "" {
			return nil, fault
		}
		if string(datatype) == xsdString {
			return name, ""
		}
		name = append(name, "^^<"...)
		name = append(name, datatype...)
		return append(name, '>'), ""
	case len(t.rest) > 0 && t.rest[0] == '@':
		n := 1
		for n < len(t.rest) && inLanguage(t.rest[n], n) {
			n++
		}
		if n == 1 || t.rest[n-1] == '-' {
			return nil, "a language tag is written like @en or @de-AT"
		}
		name = append(name, t.rest[:n]...)
		t.rest = t.rest[n:]
	}
	return name, ""
}

func inLanguage(ch byte, at int) bool {
	return 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || at > 1 && (ch == '-' || '0' <= ch && ch <= '9')
}

// escape reads one escape of a literal.
func (t *terms) escape() (rune, string) {
	if len(t.rest) < 2 {
		return 0, "a lone \\ at the end of the line"
	}
	var r rune
	switch t.rest[1] {
	case 't':
		r = '\t'
	case 'b':
		r = '\b'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 'f':
		r = '\f'
	case '"', '\'', '\\':
		r = rune(t.rest[1])
	case 'u', 'U':
		return t.codePoint()
	default:
		return 0, "an unknown escape; known are \\t \\b \\n \\r \\f \\\" \\' \\\\ \\uXXXX \\UXXXXXXXX"
	}
	t.rest = t.rest[2:]
	return r, ""
}

// codePoint reads \uXXXX or \UXXXXXXXX.
func (t *terms) codePoint() (rune, string) {
	digits := 4
	if t.rest[1] == 'U' {
		digits = 8
	}
	if len(t.rest) < 2+digits {
		return 0, fmt.Sprintf("\\%c needs %d hexadecimal digits", t.rest[1], digits)
	}
	n, err := strconv.ParseUint(string(t.rest[2:2+digits]), 16, 32)
	switch {
	case err != nil:
		return 0, fmt.Sprintf("\\%c needs %d hexadecimal digits", t.rest[1], digits)
	case n == 0:
		return 0, "the character U+0000 is not allowed in a name"
	case n > utf8.MaxRune || !utf8.ValidRune(rune(n)):
		return 0, fmt.Sprintf("%X is not a Unicode character", n)
	}
	t.rest = t.rest[2+digits:]
	return rune(n), ""
}
