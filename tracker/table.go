package tracker

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// Table is the result of a query.
type Table struct {
	Columns     []string
	ColumnTypes []string // PostgreSQL's names: "TEXT", "FLOAT8", ...
	// nil, bool, int64, float64, json.Number (NUMERIC), json.RawMessage (JSON), string or time.Time
	Rows [][]any
}

// Keys returns the names of the columns, made unique: a, a_2, a_3. A query may give two columns the same name, but a
// JSON object and most readers of CSV cannot.
func (t *Table) Keys() []string {
	taken := map[string]bool{}
	for _, name := range t.Columns {
		taken[name] = true
	}
	seen := map[string]bool{}
	keys := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		keys[i] = name
		for n := 2; seen[keys[i]] || n > 2 && taken[keys[i]]; n++ {
			keys[i] = fmt.Sprintf("%s_%d", name, n)
		}
		seen[keys[i]] = true
	}
	return keys
}

// Numeric reports whether a column holds numbers, with or without NULLs. A column without rows does not.
func (t *Table) Numeric(column int) bool {
	for _, row := range t.Rows {
		switch row[column].(type) {
		case int64, float64, json.Number, nil:
		default:
			return false
		}
	}
	return len(t.Rows) > 0
}

// Texts returns the rows as text. NULL is empty; times are in UTC and in a layout of package time.
func (t *Table) Texts(layout string) [][]string {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = Text(nil, row, layout)
	}
	return rows
}

// Text appends one of Texts to cells.
func Text(cells []string, row []any, layout string) []string {
	for _, value := range row {
		text := ""
		switch v := value.(type) {
		case nil:
		case string:
			text = v
		case int64:
			text = strconv.FormatInt(v, 10)
		case float64:
			text = strconv.FormatFloat(v, 'g', -1, 64)
		case json.RawMessage:
			text = string(v)
		case time.Time:
			text = v.UTC().Format(layout)
		default:
			text = fmt.Sprint(v)
		}
		cells = append(cells, text)
	}
	return cells
}

// Records returns the rows as JSON objects with the columns in the query's order. NaN, the infinities, and times after
// the year 9999, which JSON does not have, become null.
func (t *Table) Records() []jsonvalue.Object {
	keys := t.Keys()
	records := make([]jsonvalue.Object, len(t.Rows))
	for i, row := range t.Rows {
		records[i] = Record(keys, row)
	}
	return records
}

// Record returns one of Records: a row as a JSON object with these keys.
func Record(keys []string, row []any) jsonvalue.Object {
	object := make(jsonvalue.Object, len(row))
	for j, value := range row {
		switch v := value.(type) {
		case float64:
			value = jsonvalue.Number(v)
		case json.Number:
			if f, err := v.Float64(); err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
				value = nil
			}
		case time.Time:
			if _, err := v.MarshalJSON(); err != nil {
				value = nil
			}
		}
		object[j] = jsonvalue.Member{Key: keys[j], Value: value}
	}
	return object
}
