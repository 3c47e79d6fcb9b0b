package scorefile

import (
	"bytes"
	"encoding/csv"
	"io"
)

// Table is scores of another format as the text that Read takes, made while it is read. Errors name rows of it, from 0.
type Table struct {
	next   func() ([]string, error)
	close  func() error
	buffer bytes.Buffer
	lines  *csv.Writer
	err    error
}

// tableChunk is how many bytes of text are made at a time.
const tableChunk = 1 << 16

// NewTable returns a table. next returns the fields of a row in the order of Columns, and io.EOF behind the last one;
// close may be nil.
func NewTable(next func() ([]string, error), close func() error) *Table {
	t := &Table{next: next, close: close}
	t.lines = csv.NewWriter(&t.buffer)
	t.lines.Comma = '\t'
	t.err = t.lines.Write(Columns())
	return t
}

// Read reads text.
func (t *Table) Read(p []byte) (int, error) {
	for t.buffer.Len() < tableChunk && t.err == nil {
		var fields []string
		if fields, t.err = t.next(); t.err == nil {
			t.err = t.lines.Write(fields)
		}
	}
	if t.lines.Flush(); t.buffer.Len() == 0 {
		return 0, t.err
	}
	return t.buffer.Read(p)
}

// Close closes what the rows come from.
func (t *Table) Close() error {
	if t.close == nil {
		return nil
	}
	return t.close()
}

var _ io.ReadCloser = (*Table)(nil)
