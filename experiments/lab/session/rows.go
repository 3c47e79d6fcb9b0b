package session

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// shownRows is the number of rows that a notebook shows. The value in the cell has all of them.
const shownRows = 200

// Rows is a table: the result of a query, the relations of a graph, the facts about an entity. As the last line of a
// cell it is shown; its values can be taken column by column:
//
//	rows := lab.SQL("select epoch, loss from spherelab.epoch")
//	rows.Numbers("loss")
type Rows struct {
	title   string
	columns []string
	values  [][]interface{} // nil, bool, int64, float64, json.Number, string or time.Time
	notes   []string
	shown   int // 0: shownRows
}

// newRows makes a table of the result of a query. JSON values become text.
func newRows(t *tracker.Table) *Rows {
	for _, row := range t.Rows {
		for j, value := range row {
			if raw, isJSON := value.(json.RawMessage); isJSON {
				row[j] = string(raw)
			}
		}
	}
	return &Rows{columns: t.Columns, values: t.Rows}
}

// addNote adds a note below the table, unless it is empty.
func (r *Rows) addNote(text string) {
	if text != "" {
		r.notes = append(r.notes, text)
	}
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.values) }

// Columns returns the names of the columns.
func (r *Rows) Columns() []string { return slices.Clone(r.columns) }

// Value returns the value in a row, counted from 0, and a column: nil for NULL, otherwise a bool, int64, float64,
// string or time.Time.
func (r *Rows) Value(row int, column string) interface{} {
	if row < 0 || row >= len(r.values) {
		panic(fail(Failed, "row %d does not exist: the table has %d, counted from 0", row, len(r.values)))
	}
	value := r.values[row][r.column(column)]
	if n, isNumber := value.(json.Number); isNumber { // PostgreSQL's numeric
		if i, err := n.Int64(); err == nil {
			return i
		}
		f, _ := strconv.ParseFloat(n.String(), 64) // too large is infinite
		return f
	}
	return value
}

// Numbers returns a column as numbers. NULL is NaN.
func (r *Rows) Numbers(column string) []float64 {
	j := r.column(column)
	numbers := make([]float64, len(r.values))
	for i, row := range r.values {
		switch v := row[j].(type) {
		case nil:
			numbers[i] = math.NaN()
		case int64:
			numbers[i] = float64(v)
		case float64:
			numbers[i] = v
		default:
			x, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(v)), 64) // PostgreSQL returns numeric as text
			if err != nil {
				panic(fail(Failed, "column %q has no number in row %d but %s", column, i, strconv.Quote(cellText(v))))
			}
			numbers[i] = x
		}
	}
	return numbers
}

// Strings returns a column as text, as the table shows it.
func (r *Rows) Strings(column string) []string {
	j := r.column(column)
	list := make([]string, len(r.values))
	for i, row := range r.values {
		list[i] = cellText(row[j])
	}
	return list
}

func (r *Rows) column(name string) int {
	j := slices.Index(r.columns, name)
	if j < 0 {
		panic(fail(Failed, "there is no column %q; there are: %s", name, strings.Join(r.columns, ", ")))
	}
	return j
}

// Grid returns the table as package results writes it, with at most limit rows; 0 means all.
func (r *Rows) Grid(limit int) *results.Grid {
	g := &results.Grid{Title: r.title}
	for j, name := range r.columns {
		g.Columns = append(g.Columns, results.Column{Key: name, Right: r.numeric(j)})
	}
	for i, row := range r.values {
		if limit > 0 && i == limit {
			break
		}
		cells := make([]string, len(row))
		for j, value := range row {
			cells[j] = cellText(value)
		}
		g.Rows = append(g.Rows, cells)
	}
	switch n := len(r.values); {
	case limit > 0 && n > limit:
		g.AddNote("the first %d of %d rows", limit, n)
	case r.title == "":
		g.AddNote("%s", quantity.CommaCount(n, "row"))
	}
	for _, text := range r.notes {
		g.AddNote("%s", text)
	}
	return g
}

// numeric reports whether a column holds only numbers.
func (r *Rows) numeric(j int) bool {
	for _, row := range r.values {
		switch row[j].(type) {
		case int64, float64, json.Number, nil:
		default:
			return false
		}
	}
	return len(r.values) > 0
}

// cellText returns the text of a value: NULL is empty, times are in UTC to the second.
func cellText(value interface{}) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05")
	}
	return fmt.Sprint(value)
}

func (r *Rows) limit() int {
	if r.shown > 0 {
		return r.shown
	}
	return shownRows
}

// HTML shows the table in a notebook.
func (r *Rows) HTML() string { return gridHTML(r.Grid(r.limit())) }

// String returns the table as text.
func (r *Rows) String() string { return gridText(r.Grid(r.limit())) }

// Write writes all rows to a file. The ending of the name chooses the format: .csv, .md, .tex, .html, .json or .txt.
func (r *Rows) Write(path string) {
	writeGrid(path, func(string) *results.Grid { return r.Grid(0) })
}

func gridHTML(g *results.Grid) string {
	var m markup
	m.grid(g)
	return m.String()
}

func gridText(g *results.Grid) string {
	g.Word(hintText)
	var b strings.Builder
	_ = g.Write(&b, "text") // a strings.Builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// formats are the formats of a Grid by the ending of a file's name.
var formats = [...][2]string{{".csv", "csv"}, {".md", "markdown"}, {".tex", "latex"}, {".html", "html"},
	{".json", "json"}, {".txt", "text"}}

// writeGrid writes a table to a file; grid lays it out for a format.
func writeGrid(path string, grid func(format string) *results.Grid) {
	end := strings.ToLower(filepath.Ext(path))
	for _, f := range formats {
		if f[0] != end {
			continue
		}
		g := grid(f[1])
		g.Word(hintText)
		check(atomicfile.Replace(path, 0o644, func(w io.Writer) error { return g.Write(w, f[1]) }))
		return
	}
	panic(fail(Failed, "cannot write %s: the name must end in .csv, .md, .tex, .html, .json or .txt", path))
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }

// Grid is a table of text that package results laid out.
type Grid struct{ *results.Grid }

// newGrid wraps a table of package results.
func newGrid(g *results.Grid) *Grid { return &Grid{g} }

// HTML shows the table in a notebook.
func (g *Grid) HTML() string { return gridHTML(g.Grid) }

// String returns the table as text.
func (g *Grid) String() string { return gridText(g.Grid) }
