package web

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"time"
)

// runsCSV writes the runs of all pages of the table, with exact numbers.
func (s *site) runsCSV(w http.ResponseWriter, r *http.Request) error {
	v, err := readListView(r.URL.Query())
	if err != nil {
		return err
	}
	v.deleted = r.URL.Query().Get("deleted") == "1"
	all, err := s.columns(r.Context())
	if err != nil {
		return err
	}
	columns, list, _, err := s.found(r.Context(), v, all, nil, 0, 0)
	if err != nil {
		return err
	}
	rows := [][]string{append([]string{"run_id", "name", "experiment", "status", "start", "end"}, columns...)}
	for _, run := range list.Runs {
		row := []string{run.ID, run.Name, run.Experiment, run.Status, timestamp(run.Start), timestamp(run.End)}
		for _, column := range columns {
			kind, key, _ := strings.Cut(column, "/")
			switch x, ok := run.Metrics[key]; {
			case kind == "param":
				row = append(row, run.Params[key])
			case kind == "tag":
				row = append(row, run.Tags[key])
			case ok:
				row = append(row, exact(x))
			default:
				row = append(row, "")
			}
		}
		rows = append(rows, row)
	}
	writeCSV(w, "runs.csv", rows)
	return nil
}

// writeCSV sends a file of rows. A failed write means that the reader has left.
func writeCSV(w http.ResponseWriter, file string, rows [][]string) {
	headCSV(w, file)
	_ = csv.NewWriter(w).WriteAll(rows)
}

func headCSV(w http.ResponseWriter, file string) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment; filename="+file)
	w.Header().Set("Cache-Control", "no-store") // the reader saves it, so the browser need not cache it
}

// writeTable sends a table as a file, with the run's id in the first column unless it is "".
func writeTable(w http.ResponseWriter, file, id string, t Table) {
	if t.File != nil {
		t = *t.File
	}
	var first, own []string
	if id != "" {
		first, own = []string{"run_id"}, []string{id}
	}
	rows := [][]string{first}
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Heading)
	}
	for _, row := range t.Rows {
		rows = append(rows, slices.Concat(own, row))
	}
	writeCSV(w, file, rows)
}

// timestamp returns a time in the form that programs read, or "" if it is unknown.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
