package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
)

// rowsPerPage is how many runs a page has, unless its address says otherwise, and mostRows the most it has.
const (
	rowsPerPage = 100
	mostRows    = 10_000
)

// usualColumns are shown first, where any run has them.
var usualColumns = []string{"param/graph", "param/model", "param/variant", "param/seed", "metric/loss",
	"metric/test/head_f1", "metric/test/tail_f1", "metric/test/mrr"}

// listView is what the address of the table of runs says.
type listView struct {
	search, experiment, sort string
	ascending                bool
	columns                  []string // nil: the usual ones; empty: none
	page, rows               int
}

func readListView(query url.Values) (listView, error) {
	v := listView{search: query.Get("q"), experiment: query.Get("experiment"), sort: query.Get("sort"),
		ascending: query.Get("order") == "asc", columns: given(query["col"]), page: 1, rows: rowsPerPage}
	for name, to := range map[string]*int{"page": &v.page, "rows": &v.rows} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1_000_000 {
			return v, badRequestError{name + " must be a number from 1 to 1000000"}
		}
		*to = n
	}
	v.rows = min(v.rows, mostRows)
	return v, nil
}

// given are the choices that an address names, nil if it names none. A form in which nothing is ticked sends an empty
// one.
func given(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// choices are values of given, as an address has them.
func choices(values []string) []string {
	if values != nil && len(values) == 0 {
		return []string{""}
	}
	return values
}

// query is the view as the query of an address.
func (v listView) query() string {
	q := url.Values{}
	set := func(name, value string, usual bool) {
		if !usual {
			q.Set(name, value)
		}
	}
	set("q", v.search, v.search == "")
	set("experiment", v.experiment, v.experiment == "")
	set("sort", v.sort, v.sort == "" || v.sort == "start")
	set("order", "asc", !v.ascending)
	set("page", strconv.Itoa(v.page), v.page == 1)
	set("rows", strconv.Itoa(v.rows), v.rows == rowsPerPage)
	if v.columns != nil {
		q["col"] = choices(v.columns)
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// sorted is the view sorted by a column: the greatest value first, and the other way round at the second time. Names
// begin with A.
func (v listView) sorted(column string) listView {
	if cmp.Or(v.sort, "start") == column {
		v.ascending = !v.ascending
	} else {
		v.ascending = column == "name" || column == "experiment" || column == "status"
	}
	v.sort, v.page = column, 1
	return v
}

func (v listView) at(page int) listView {
	v.page = page
	return v
}

// chosen are the columns to show of those that there are. What the table is sorted by is one of them.
func (v listView) chosen(all []string) []string {
	list := v.columns
	if list == nil {
		list = usual(all)
	}
	if strings.Contains(v.sort, "/") && !slices.Contains(list, v.sort) {
		list = append(slices.Clone(list), v.sort)
	}
	return list
}

// columns are the columns of the runs that a view shows first where it is of some runs alone and names no columns, else
// all of them.
func (s *site) columns(ctx context.Context, v listView) (all, shown []string, err error) {
	if all, err = s.store.Columns(ctx); err != nil || v.columns != nil || v.search == "" && v.experiment == "" {
		return all, all, err
	}
	list, err := s.list(ctx, v, nil, (v.page-1)*v.rows, rowsPerPage)
	if err != nil || len(list.Runs) == 0 {
		return all, all, nil // whoever lists the runs next meets the error
	}
	runs, err := s.store.Runs(ctx, tracker.Filter{IDs: ids(list.Runs)})
	has := map[string]bool{}
	for _, run := range runs {
		for key := range run.Params {
			has["param/"+key] = true
		}
		for key := range run.Metrics {
			has["metric/"+key] = true
		}
		for key := range run.Tags {
			has["tag/"+key] = true
		}
	}
	return all, slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !has[c] }), err
}

// usual are the columns to show where the address names none.
func usual(all []string) []string {
	usual := slices.DeleteFunc(slices.Clone(usualColumns), func(c string) bool { return !slices.Contains(all, c) })
	if len(usual) > 0 {
		return usual
	}
	var first []string // runs of another program
	for _, kind := range []string{"param/", "metric/"} {
		n := 0
		for _, c := range all {
			if strings.HasPrefix(c, kind) && n < 4 {
				first = append(first, c)
				n++
			}
		}
	}
	return first
}

// heading is the head of a column.
type heading struct {
	Column, Label string
	Sort          string // address of the table sorted by it
	Order         string // "ascending", "descending" or ""
	Right         bool
}

// runRow is a run in the table.
type runRow struct {
	tracker.RunInfo
	Took  string
	Cells []cell
}

type cell struct {
	Text  string
	Right bool
	Save  string // where the form of its tag or note goes, "" if it is not changed here
	Key   string // of the tag
}

type choice struct {
	Column, Label string
	Chosen        bool
	Sorted        bool // what the table is sorted by
}

type listPage struct {
	Search, Experiment string
	Sort, Order        string
	Sizes              []pageSize
	First              string // address of the comparison of the first runs, "" of fewer than two
	Compared           int    // how many these are
	Experiments        []string
	Headings           []heading
	Runs               []runRow
	Total, From, To    int
	Previous, Next     string // addresses
	CSV                string
	Choices            []choiceGroup
	Own                []choice // columns that every run has
	Chosen             []string // columns that the address names
	Filtered           bool
	Back               string // the query of this view
	Wrong              string // what is wrong with the search
}

// wrongFilter is what is wrong with a search, "" for other errors.
func wrongFilter(err error) string {
	if wrong, ok := errors.AsType[*filter.Error](err); ok {
		return wrong.Error()
	}
	return ""
}

// pageSize is how many rows a page of the table may have.
type pageSize struct {
	Rows    int
	Address string
	Chosen  bool
}

// sizes are the sizes of a page that a table of so many runs may have.
func (v listView) sizes(total int) []pageSize {
	var list []pageSize
	for _, rows := range []int{rowsPerPage, 1000, mostRows} {
		if len(list) > 0 && total <= list[len(list)-1].Rows {
			break
		}
		to := v.at(1)
		to.rows = rows
		list = append(list, pageSize{rows, "/" + to.query(), rows == v.rows})
	}
	return list
}

type choiceGroup struct {
	Kind string
	List []choice
}

func (s *site) runs(w http.ResponseWriter, r *http.Request) error {
	v, err := readListView(r.URL.Query())
	if err != nil {
		return err
	}
	ctx := r.Context()
	all, shown, err := s.columns(ctx, v)
	if err != nil {
		return err
	}
	experiments, err := s.experimentNames(ctx, v)
	if err != nil {
		return err
	}
	columns := v.chosen(shown)
	list, err := s.list(ctx, v, columns, (v.page-1)*v.rows, v.rows)
	wrong := wrongFilter(err)
	if err != nil && wrong == "" {
		return err
	}
	p := listPage{Wrong: wrong, Back: strings.TrimPrefix(v.query(), "?"), Search: v.search, Experiment: v.experiment, Sort: v.sort,
		Experiments: experiments, Total: list.Total, From: min((v.page-1)*v.rows+1, list.Total),
		To:  (v.page-1)*v.rows + len(list.Runs),
		CSV: "/runs.csv" + v.at(1).query(), Chosen: choices(v.columns), Filtered: v.search != "" || v.experiment != ""}
	if v.ascending {
		p.Order = "asc"
	}
	if sizes := v.sizes(list.Total); len(sizes) > 1 {
		p.Sizes = sizes
	}
	if v.page > 1 {
		p.Previous = "/" + v.at(v.page-1).query()
	}
	if p.To < list.Total && len(list.Runs) > 0 {
		p.Next = "/" + v.at(v.page+1).query()
	}
	for _, column := range slices.Concat([]string{"name", "experiment", "status", "start", "seconds"}, columns) {
		p.Headings = append(p.Headings, v.heading(column))
	}
	for _, run := range list.Runs {
		p.Runs = append(p.Runs, s.runRow(run, columns))
	}
	if first := ids(list.Runs); len(first) > 1 {
		first = first[:min(len(first), mostCompared)]
		p.First, p.Compared = "/compare?"+url.Values{"run": first}.Encode(), len(first)
	}
	for _, kind := range []string{"param", "metric", "tag"} {
		group := choiceGroup{Kind: kind}
		for _, c := range all {
			if key, of := strings.CutPrefix(c, kind+"/"); of {
				group.List = append(group.List, choice{Column: c, Label: columnLabel(c, key),
					Chosen: slices.Contains(columns, c), Sorted: c == v.sort})
			}
		}
		if group.List != nil {
			p.Choices = append(p.Choices, group)
		}
	}
	for _, column := range []string{"start", "name", "experiment", "status", "user", "seconds"} {
		label := cmp.Or(ownLabels[column], column)
		p.Own = append(p.Own, choice{Column: column, Label: label, Sorted: column == v.sort})
	}
	code := http.StatusOK
	if wrong != "" {
		code = http.StatusBadRequest
	}
	s.render(w, code, "runs", p)
	return nil
}

func (s *site) list(ctx context.Context, v listView, columns []string, offset, limit int) (tracker.Listed, error) {
	return s.store.List(ctx, tracker.Listing{Search: v.search, Experiment: v.experiment, Sort: v.sort,
		Ascending: v.ascending, Columns: columns, Offset: offset, Limit: limit})
}

// ownLabels are the headings of a run's own columns.
var ownLabels = map[string]string{"start": "started (UTC)", "seconds": "time"}

// columnLabel is what a page calls a column.
func columnLabel(column, key string) string {
	if column == "tag/"+noteTag {
		return "note"
	}
	return key
}

func (v listView) heading(column string) heading {
	_, key, found := strings.Cut(column, "/")
	if !found {
		key = cmp.Or(ownLabels[column], column)
	}
	h := heading{Column: column, Label: columnLabel(column, key), Sort: "/" + v.sorted(column).query(),
		Right: strings.HasPrefix(column, "metric/") || column == "seconds"}
	if cmp.Or(v.sort, "start") == column {
		h.Order = "descending"
		if v.ascending {
			h.Order = "ascending"
		}
	}
	return h
}

func (s *site) runRow(run tracker.RunInfo, columns []string) runRow {
	row := runRow{RunInfo: run, Took: duration(run)}
	for _, column := range columns {
		kind, key, _ := strings.Cut(column, "/")
		c := cell{}
		switch kind {
		case "param":
			c.Text = run.Params[key]
		case "tag":
			c.Text = run.Tags[key]
			switch several := strings.ContainsAny(c.Text, "\r\n"); {
			case key == noteTag && several: // a field of one line would change it
				c.Text = strings.Join(strings.Fields(c.Text), " ")
			case key == noteTag:
				c.Save, c.Key = "/runs/"+run.ID+"/note", "note"
			case s.isFree(key) && !several:
				c.Save, c.Key = "/runs/"+run.ID+"/tags", key
			}
		default:
			c.Right = true
			if x, ok := run.Metrics[key]; ok {
				c.Text = number(x)
			}
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// runsCSV writes the runs that the table has on all of its pages, with exact numbers.
func (s *site) runsCSV(w http.ResponseWriter, r *http.Request) error {
	v, err := readListView(r.URL.Query())
	if err != nil {
		return err
	}
	_, shown, err := s.columns(r.Context(), v)
	if err != nil {
		return err
	}
	columns := v.chosen(shown)
	list, err := s.list(r.Context(), v, columns, 0, 0)
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

// writeCSV sends a file of rows. A failure to write means that the reader has gone.
func writeCSV(w http.ResponseWriter, file string, rows [][]string) {
	headCSV(w, file)
	_ = csv.NewWriter(w).WriteAll(rows)
}

func headCSV(w http.ResponseWriter, file string) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment; filename="+file)
	w.Header().Set("Cache-Control", "no-store") // the reader keeps it, the browser need not
}

// writeTable sends a table as a file, with the run's id in the first column unless it is "".
func writeTable(w http.ResponseWriter, file, id string, t Table) {
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

// timestamp is a time for programs; "" if it is unknown.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
