package scorefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// text is a file of scores before it is parsed.
type text struct{ *bufio.Reader }

func newText(r io.Reader) text {
	t := text{bufio.NewReaderSize(r, 1<<16)}
	if mark, _ := t.Peek(3); string(mark) == "\uFEFF" { // as spreadsheets write it
		_, _ = t.Discard(len(mark)) // they are in the buffer
	}
	return t
}

// foreign returns an error for a file that is not text.
func (t text) foreign() error {
	start, _ := t.Peek(512)
	const remedy = "; write the scores as TSV, in pandas: frame.to_csv(\"scores.tsv\", sep=\"\\t\", index=False)"
	switch {
	case bytes.HasPrefix(start, []byte("PAR1")):
		return errors.New("is a Parquet file; scores of one are read where its name ends in .parquet")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return errors.New("is compressed by gzip, but its name does not end in .gz; rename it")
	case bytes.IndexByte(start, 0) >= 0:
		return errors.New("is not text" + remedy)
	}
	return nil
}

// separator returns what separates the columns: a tab if the first line has one, else a comma.
func (t text) separator() rune {
	start, _ := t.Peek(1 << 12)
	header, _, _ := bytes.Cut(start, []byte("\n"))
	if bytes.IndexByte(header, '\t') >= 0 {
		return '\t'
	}
	return ','
}
