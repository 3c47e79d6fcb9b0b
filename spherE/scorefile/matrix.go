package scorefile

import (
	"archive/zip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The files of a matrix of scores, in one folder.
const (
	matrixName  = "scores"
	queriesFile = "queries.tsv"
	columnsFile = "entities.tsv"
)

// matrix is an array [queries, entities] of scores.
type matrix struct {
	numbers io.Reader
	bits    int        // of a number: 32 or 64
	queries [][]string // side, head, relation, tail; the name at the asked end is replaced
	names   []string   // of columns
	row     int        // that was read last
	column  int        // that comes next
	raw     []byte     // of the row
	fields  []string
}

// isMatrix reports whether a path is a file of numpy, or a folder.
func isMatrix(path string) bool {
	ending := filepath.Ext(path)
	return ending == ".npy" || ending == ".npz" || filekind.IsFolder(path)
}

// openMatrix opens a matrix: scores.npy or scores.npz of a folder, or a file of another name, next to queries.tsv and
// entities.tsv.
func openMatrix(path string, g *kg.Graph) (*Table, error) {
	folder := filepath.Dir(path)
	if filekind.IsFolder(path) {
		folder, path = path, filepath.Join(path, matrixName+".npy")
		if packed := filepath.Join(folder, matrixName+".npz"); !filekind.IsFile(path) && filekind.IsFile(packed) {
			path = packed
		}
	}
	numbers, size, close, err := openArray(path)
	if err != nil {
		return nil, err
	}
	m, err := newMatrix(numbers, size, path, folder, g)
	if err != nil {
		return nil, errors.Join(err, close())
	}
	return NewTable(m.next, close), nil
}

// openArray opens a file of numpy.save, or the array of one of numpy.savez. size is that of the array with its header.
func openArray(path string) (array io.Reader, size int64, close func() error, err error) {
	if filepath.Ext(path) != ".npz" {
		file, err := os.Open(path)
		if err != nil {
			return nil, 0, nil, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, nil, errors.Join(err, file.Close())
		}
		return file, info.Size(), file.Close, nil
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, f := range z.File {
		if f.Name == matrixName+".npy" {
			r, err := f.Open()
			if err != nil {
				return nil, 0, nil, errors.Join(fmt.Errorf("%s: array %s: %w", path, matrixName, err), z.Close())
			}
			return r, int64(min(f.UncompressedSize64, math.MaxInt64)), z.Close, nil
		}
	}
	err = fmt.Errorf("%s has no array %s; write it by numpy.savez(%q, %s=...)", path, matrixName, filepath.Base(path),
		matrixName)
	return nil, 0, nil, errors.Join(err, z.Close())
}

// newMatrix reads the header of the array and the names of its rows and columns.
func newMatrix(numbers io.Reader, size int64, path, folder string, g *kg.Graph) (*matrix, error) {
	h, start, err := readHeader(numbers)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	m := &matrix{numbers: numbers, bits: map[string]int{"<f4": 32, "<f8": 64}[h.kind], row: -1}
	if m.bits == 0 {
		return nil, fmt.Errorf("%s holds %q; write float32 or float64: scores.astype(\"float32\")", path, h.kind)
	}
	if len(h.shape) != 2 {
		return nil, fmt.Errorf("%s has %d dimensions; it needs a row for each query and a column for each entity", path,
			len(h.shape))
	}
	if m.queries, err = readQueries(filepath.Join(folder, queriesFile), g); err != nil {
		return nil, err
	}
	if m.names, err = readColumns(filepath.Join(folder, columnsFile), g); err != nil {
		return nil, err
	}
	for i, of := range []struct {
		have       int
		each, file string
	}{{len(m.queries), "row", queriesFile}, {len(m.names), "column", columnsFile}} {
		if h.shape[i] != of.have {
			return nil, fmt.Errorf("%s has %d %ss, and %s has %d lines below its header; write a line for each %s", path,
				h.shape[i], of.each, filepath.Join(folder, of.file), of.have, of.each)
		}
	}
	width := int64(len(m.names)) * int64(m.bits/8)
	if have := size - start; have/width != int64(len(m.queries)) || have%width != 0 {
		return nil, fmt.Errorf("%s has %d bytes of numbers, which is not what its shape (%d, %d) needs; save it again", path,
			have, h.shape[0], h.shape[1])
	}
	m.raw, m.column = make([]byte, width), len(m.names)
	return m, nil
}

// next returns the next score that is a number: a candidate without a score is NaN.
func (m *matrix) next() ([]string, error) {
	for {
		if m.column == len(m.names) {
			if m.row++; m.row == len(m.queries) {
				return nil, io.EOF
			}
			if _, err := io.ReadFull(m.numbers, m.raw); err != nil {
				return nil, fmt.Errorf("row %d: %w", m.row, err)
			}
			m.column = 0
		}
		x := 0.0
		if m.bits == 32 {
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(m.raw[4*m.column:])))
		} else {
			x = math.Float64frombits(binary.LittleEndian.Uint64(m.raw[8*m.column:]))
		}
		m.column++
		if x != x {
			continue
		}
		name := m.names[m.column-1]
		if math.Abs(x) > math.MaxFloat32 {
			return nil, fmt.Errorf("row %d, column %d (%s): %v is not a finite 32 bit number; write NaN for a candidate "+
				"without a score", m.row, m.column-1, name, x)
		}
		m.fields = append(append(m.fields[:0], m.queries[m.row]...), strconv.FormatFloat(x, 'g', -1, m.bits))
		if m.fields[columnSide] == kg.HeadSide.String() {
			m.fields[columnHead] = name
		} else {
			m.fields[columnTail] = name
		}
		return m.fields, nil
	}
}

// readLines reads a small table with a header: the fields of the named columns of each line, and where each line is.
func readLines(path string, columns ...string) (lines [][]string, places []int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; a matrix of scores has %s and %s next to it", err, queriesFile, columnsFile)
	}
	defer file.Close()
	text := newText(file)
	if err := text.foreign(); err != nil {
		return nil, nil, fmt.Errorf("%s %w", path, err)
	}
	r := csv.NewReader(text)
	r.Comma = text.separator()
	header, err := r.Read()
	if err != nil && err != io.EOF {
		return nil, nil, lineError(path, err)
	}
	var at []int
	for _, name := range columns {
		i := slices.Index(header, name)
		if i < 0 {
			return nil, nil, fmt.Errorf("%s:1: the header has no column %s; it must name %s, separated by tabs or commas", path,
				name, strings.Join(columns, ", "))
		}
		at = append(at, i)
	}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return lines, places, nil
		}
		if err != nil {
			return nil, nil, lineError(path, err)
		}
		fields := make([]string, len(at))
		for k, i := range at {
			fields[k] = record[i]
		}
		place, _ := r.FieldPos(0)
		lines, places = append(lines, fields), append(places, place)
	}
}

// readQueries reads the queries of the rows. The name at the asked end is not read.
func readQueries(path string, g *kg.Graph) ([][]string, error) {
	lines, places, err := readLines(path, Columns()[:columnScore]...)
	if err != nil {
		return nil, err
	}
	seen := map[kg.Query]int{}
	for i, fields := range lines {
		asked := columnTail
		if fields[columnSide] == kg.HeadSide.String() {
			asked = columnHead
		}
		fields[asked] = g.Entities.Name(0) // any entity will do
		q, _, column, err := parseQuery(fields, g)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: column %s: %w", path, places[i], Columns()[column], err)
		}
		if first, again := seen[q]; again {
			return nil, fmt.Errorf("%s:%d: the query %s is in line %d already; keep one row of each query", path, places[i],
				queryText(g, q), first)
		}
		seen[q] = places[i]
	}
	return lines, nil
}

// readColumns reads the names of the columns, in their order by ids from 0.
func readColumns(path string, g *kg.Graph) ([]string, error) {
	lines, places, err := readLines(path, "id", "name")
	if err != nil {
		return nil, err
	}
	names, seen := make([]string, len(lines)), map[string]int{}
	for i, fields := range lines {
		id, err := strconv.Atoi(fields[0])
		if err != nil || id < 0 || id >= len(names) || names[id] != "" {
			return nil, fmt.Errorf("%s:%d: id %q is not a number from 0 to %d that no other line has; it is the entity's column",
				path, places[i], fields[0], len(names)-1)
		}
		if _, err := g.FindEntity(fields[1]); err != nil {
			return nil, fmt.Errorf("%s:%d: column name: %w", path, places[i], err)
		}
		if first, again := seen[fields[1]]; again {
			return nil, fmt.Errorf("%s:%d: entity %q has a column in line %d already; keep one", path, places[i], fields[1],
				first)
		}
		names[id], seen[fields[1]] = fields[1], places[i]
	}
	return names, nil
}
