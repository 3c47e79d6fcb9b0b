package kg

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// errHeader is the error of readTSV for a file with a header line, which is read as a table.
var errHeader = errors.New("a header line")

// readTSV reads lines of head, relation and tail separated by tabs. It ignores a fourth column (for example a source)
// if every line has one.
func readTSV(l *lineReader, s Split, b *builder) (part, error) {
	p := part{split: s, file: l.file}
	names := b.namer()
	defer names.stop()
	columns := 0
	for {
		text, err := l.nextFilled()
		if err == io.EOF {
			break
		}
		if err != nil {
			return part{}, err
		}
		n := bytes.Count(text, []byte{'\t'}) + 1
		if columns == 0 {
			if l.line == 1 && isHeader(text) {
				return part{}, errHeader
			}
			if n != 3 && n != 4 {
				return part{}, l.fail("%s, expected 3: head, relation, tail with tabs between%s",
					quantity.CountOf(n, "column", "columns"), separatorHint(text, n))
			}
			columns = n
		} else if n != columns {
			return part{}, l.fail("%s, but the lines before have %d%s",
				quantity.CountOf(n, "column", "columns"), columns, separatorHint(text, n))
		}
		h, rest, _ := bytes.Cut(text, []byte{'\t'})
		r, t, _ := bytes.Cut(rest, []byte{'\t'})
		if columns == 4 {
			t, _, _ = bytes.Cut(t, []byte{'\t'})
		}
		for c, name := range [3][]byte{h, r, t} {
			if len(bytes.TrimSpace(name)) == 0 {
				return part{}, l.fail("the %s is empty", columnName(c))
			}
		}
		names.add(h, r, t)
	}
	p.triples = names.triples()
	if len(p.triples) == 0 {
		return part{}, &FileError{File: l.file, Message: "the file is empty", Err: errNoTriple}
	}
	p.first, p.firstLine = &p.triples[0], 1
	return p, nil
}

func separatorHint(text []byte, columns int) string {
	if columns > 1 {
		return ""
	}
	switch {
	case bytes.Count(text, []byte{','}) >= 2:
		return "; replace the commas by tabs"
	case len(bytes.Fields(text)) >= 3:
		return "; replace the spaces between columns by tabs"
	}
	return ""
}

// isHeader reports whether a line names columns of head, relation and tail.
func isHeader(text []byte) bool {
	_, ok := headerColumns(strings.Split(string(text), "\t"))
	return ok
}
