package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// table writes the rows of a table in the text format of PostgreSQL's COPY.
func (w *writer) table(ctx context.Context, tx *sqlx.Tx, table storedTable) (err error) {
	part, err := os.CreateTemp(w.dir, ".spherelab-backup-table-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, part.Close(), os.Remove(part.Name())) }()
	packed, _ := gzip.NewWriterLevel(part, gzip.BestSpeed) // the level exists
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = pq.QuoteIdentifier(c) + "::text"
	}
	rows, err := tx.QueryContext(ctx, `SELECT `+strings.Join(columns, ", ")+` FROM `+table.sql())
	if err != nil {
		return err
	}
	defer rows.Close()
	cells := make([]any, len(columns))
	targets := make([]any, len(cells))
	for i := range cells {
		targets[i] = &cells[i]
	}
	var line []byte
	n := int64(0)
	for rows.Next() {
		if err = rows.Scan(targets...); err != nil {
			return err
		}
		line = line[:0]
		for i, cell := range cells {
			if i > 0 {
				line = append(line, '\t')
			}
			if line, err = appendCell(line, cell); err != nil {
				return err
			}
		}
		if _, err := packed.Write(append(line, '\n')); err != nil {
			return err
		}
		n++
	}
	if err := errors.Join(rows.Err(), packed.Close()); err != nil {
		return err
	}
	size, err := part.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = part.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	w.tail.Rows[table.Schema+"."+table.Name] = n
	w.report.Rows += n
	return w.entry(table.entry(), size, part)
}

// appendCell appends a text in this format. nil is NULL.
func appendCell(line []byte, cell any) ([]byte, error) {
	if cell == nil {
		return append(line, `\N`...), nil
	}
	text, ok := cell.(string)
	if !ok {
		return nil, fmt.Errorf("a value of type %T", cell)
	}
	for i := range len(text) {
		switch c := text[i]; c {
		case '\\':
			line = append(line, `\\`...)
		case '\t':
			line = append(line, `\t`...)
		case '\n':
			line = append(line, `\n`...)
		case '\r':
			line = append(line, `\r`...)
		default:
			line = append(line, c)
		}
	}
	return line, nil
}

// cell is the inverse of appendCell. It returns a string, or nil for NULL.
func cell(text []byte) (any, error) {
	if string(text) == `\N` {
		return nil, nil
	}
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text), nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			i++
			at := -1
			if i < len(text) {
				at = strings.IndexByte(`\tnr`, text[i])
			}
			if at < 0 {
				return nil, errors.New("a value with an unknown escape")
			}
			c = "\\\t\n\r"[at]
		}
		out = append(out, c)
	}
	return string(out), nil
}

// readLine returns a line without its end.
func readLine(from *bufio.Reader) ([]byte, error) {
	line, err := from.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	long := slices.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = from.ReadSlice('\n')
		long = append(long, line...)
	}
	switch {
	case err == nil:
		return long[:len(long)-1], nil
	case err == io.EOF && len(long) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, err
}
