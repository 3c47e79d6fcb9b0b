package answer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/spherelab/spherelab/spherE/scorefile"
)

// parquetEnding is that of the name of a Parquet file.
const parquetEnding = ".parquet"

// parquetRows are the scores of a Parquet file, row by row.
type parquetRows struct {
	groups []parquet.RowGroup // that come next
	rows   parquet.Rows       // of a group; nil before the first
	buffer []parquet.Row
	ahead  []parquet.Row // of the buffer
	column map[int]int   // of the file: the place in scorefile.Columns
	fields []string
}

// openParquet opens a Parquet file with the columns of a text of scores.
func openParquet(path string) (*scorefile.Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newParquetRows(path, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return scorefile.NewTable(r.next, func() error { return errors.Join(r.closeRows(), file.Close()) }), nil
}

func newParquetRows(path string, file *os.File) (r *parquetRows, err error) {
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%s: %w", path, damaged(damage))
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// The library makes room for a footer of any length.
	end := make([]byte, 8)
	if _, err := file.ReadAt(end, max(0, info.Size()-8)); err != nil || string(end[4:]) != "PAR1" ||
		int64(binary.LittleEndian.Uint32(end)) > info.Size()-12 {
		return nil, fmt.Errorf("%s is not a whole Parquet file; write it again", path)
	}
	f, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s is not a whole Parquet file: %w", path, err)
	}
	r = &parquetRows{groups: f.RowGroups(), buffer: make([]parquet.Row, 1024), column: map[int]int{},
		fields: make([]string, len(scorefile.Columns()))}
	var missing []string
	for i, name := range scorefile.Columns() {
		leaf, ok := f.Schema().Lookup(name)
		if !ok {
			missing = append(missing, name)
			continue
		}
		isScore := i == len(r.fields)-1
		switch kind := leaf.Node.Type().Kind(); {
		case leaf.MaxRepetitionLevel > 0, isScore == (kind == parquet.ByteArray),
			kind != parquet.ByteArray && kind != parquet.Int32 && kind != parquet.Int64 && (!isScore ||
				kind != parquet.Float && kind != parquet.Double):
			return nil, fmt.Errorf("%s: column %s holds %s; write names as strings and scores as float32 or float64", path, name,
				leaf.Node.Type())
		}
		r.column[leaf.ColumnIndex] = i
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s has no column %s; it must have %s", path, strings.Join(missing, ", "),
			strings.Join(scorefile.Columns(), ", "))
	}
	return r, nil
}

// damaged is the error of what the library panics with, which it does on some files whose bytes have changed.
func damaged(panicked any) error {
	return fmt.Errorf("the file is damaged: %v; write it again", panicked)
}

// next returns the fields of the next row.
func (r *parquetRows) next() (fields []string, err error) {
	defer func() {
		if damage := recover(); damage != nil {
			err = damaged(damage)
		}
	}()
	for len(r.ahead) == 0 {
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	clear(r.fields)
	for _, v := range r.ahead[0] {
		if i, ok := r.column[v.Column()]; ok && !v.IsNull() {
			r.fields[i] = v.String()
		}
	}
	r.ahead = r.ahead[1:]
	return r.fields, nil
}

// fill reads some rows, or turns to the next group of them.
func (r *parquetRows) fill() error {
	if r.rows == nil {
		if len(r.groups) == 0 {
			return io.EOF
		}
		r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
	}
	n, err := r.rows.ReadRows(r.buffer)
	r.ahead = r.buffer[:n]
	if err == io.EOF {
		return r.closeRows()
	}
	return err
}

func (r *parquetRows) closeRows() error {
	if r.rows == nil {
		return nil
	}
	err := r.rows.Close()
	r.rows = nil
	return err
}
