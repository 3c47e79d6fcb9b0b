package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
)

// rowsPerPage is the default number of runs on a page, and maxRows the max number.
const (
	rowsPerPage = 100
	maxRows     = 10_000
)

// listView is what the address of the table of runs contains.
type listView struct {
	search, experiment, sort string
	ascending                bool
	columns                  []string // nil: the usual ones; empty: none
	page, rows               int
	fold                     bool     // the runs of a sweep in one row
	open                     []string // the sweeps whose runs are shown nevertheless
	within                   string   // the sweep whose runs are all listed, "" for all sweeps
	archived                 bool     // archived runs too
	deleted                  bool     // the deleted runs instead of the others
	every                    bool     // for the page by configuration: show all params that differ
}

func readListView(query url.Values) (listView, error) {
	v := listView{search: query.Get("q"), experiment: query.Get("experiment"), sort: query.Get("sort"),
		ascending: query.Get("order") == "asc", archived: query.Get("archived") == "1", columns: given(query["col"]), page: 1, rows: rowsPerPage}
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
	v.rows = min(v.rows, maxRows)
	return v, nil
}

// given returns the choices in an address, nil if there are none. A form in which nothing is ticked sends an empty one.
func given(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// choices returns values in the form that given reads from an address.
func choices(values []string) []string {
	if values != nil && len(values) == 0 {
		return []string{""}
	}
	return values
}

// query returns the view as the query of an address.
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
	set("fold", "1", !v.fold)
	if v.fold && len(v.open) > 0 {
		q["open"] = v.open
	}
	set("archived", "1", !v.archived)
	set("deleted", "1", !v.deleted)
	set("order", "asc", !v.ascending)
	set("params", "all", !v.every)
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

// sortedBy returns the view sorted by a column: the greatest value first, and in the opposite order the second time.
// Names start with A.
func (v listView) sortedBy(column string) listView {
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

// chosen returns the columns to show. The one that the table is sorted by is always included.
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
	State string
	Cells []cell
	Fold  *foldedRow // nil: it stands only for itself
	Part  bool       // it belongs to the row above
}

type cell struct {
	Text  string
	Right bool
	Save  string // address for the form of its tag or note, "" if it cannot be changed here
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
	First              string // address of the comparison of the first runs, "" for fewer than two
	Compared           int    // how many these are
	Experiments        []string
	Headings           []heading
	Runs               []runRow
	Total, From, To    int
	Previous, Next     string // addresses
	Start              string // address of the first page
	CSV                string
	Choices            []choiceGroup
	Own                []choice // columns that every run has
	Filtered           bool
	query              url.Values
	Back               string // the query of this view
	Wrong              string // what is wrong with the search
	Mixed              string // a note that metrics are at several cuts
	All                int    // number of runs, including folded ones
	Fold               bool
	NoFolds            bool       // there is nothing to fold
	Shared             []keyValue // params that all runs share, in place of columns
	managed
}

// Keep is what a form must send besides its own fields to stay in the view.
func (p listPage) Keep(names ...string) []keyValue { return kept(p.query, names) }

// MaxCompared and MaxTagged are limits for the selected runs in the form below the table.
func (listPage) MaxCompared() int { return maxCompared }
func (listPage) MaxTagged() int   { return maxTagged }

// wrongFilter returns what is wrong with a search, "" for other errors.
func wrongFilter(err error) string {
	if wrong, ok := errors.AsType[*filter.Error](err); ok {
		return wrong.Error()
	}
	return ""
}

// pageSize is a choice of the number of rows per page.
type pageSize struct {
	Rows    int
	Address string
	Chosen  bool
}

// sizes returns the choices of page sizes for a table of this many runs.
func (v listView) sizes(total int) []pageSize {
	var list []pageSize
	for _, rows := range []int{rowsPerPage, 1000, maxRows} {
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
	if v.fold = r.URL.Query().Get("fold") == "1"; v.fold {
		v.open = given(r.URL.Query()["open"])
	}
	v.deleted = r.URL.Query().Get("deleted") == "1"
	ctx := r.Context()
	all, err := s.columns(ctx)
	if err != nil {
		return err
	}
	experiments, err := s.experimentNames(ctx, v)
	if err != nil {
		return err
	}
	columns, list, at, err := s.found(ctx, v, all, []string{stateColumn}, (v.page-1)*v.rows, v.rows)
	wrong := wrongFilter(err)
	if err != nil && wrong == "" {
		return err
	}
	asked := v.sort
	v.sort = at.column(v.sort)
	file := v.withRunRows().at(1)
	if v.columns == nil {
		runs, err := s.withOpen(ctx, v, list.Runs)
		if err != nil {
			return err
		}
		more, err := s.apartColumns(ctx, columns, runs)
		if err != nil {
			return err
		}
		if len(more) > 0 {
			columns = slices.Concat(more, columns)
			file.columns = columns
		}
		// The value that the table is sorted by must be visible.
		if at := slices.Index(columns, v.sort); at > 0 {
			columns = slices.Insert(slices.Delete(slices.Clone(columns), at, at+1), 0, v.sort)
		}
	}
	var shared []keyValue
	if v.columns == nil && !v.fold && list.Total == len(list.Runs) {
		columns, shared = withoutShared(columns, v.sort, list.Runs)
	}
	p := listPage{Wrong: wrong, Shared: shared, Back: strings.TrimPrefix(v.query(), "?"), Search: v.search, Experiment: v.experiment,
		Sort: v.sort, Experiments: experiments, Total: list.Total, From: min((v.page-1)*v.rows+1, list.Total),
		To:  (v.page-1)*v.rows + len(list.Runs),
		All: list.All, Fold: v.fold, NoFolds: !v.fold && !slices.Contains(all, "tag/"+tracker.TagParent),
		CSV: "/runs.csv" + file.query(), Filtered: v.search != "" || v.experiment != "", query: r.URL.Query()}
	if p.managed, err = s.managed(r, v, all); err != nil {
		return err
	}
	if v.ascending {
		p.Order = "asc"
	}
	p.Mixed = at.note()
	if sizes := v.sizes(list.Total); len(sizes) > 1 {
		p.Sizes = sizes
	}
	p.Start = "/" + v.at(1).query()
	if v.page > 1 {
		p.Previous = "/" + v.at(v.page-1).query()
	}
	if p.To < list.Total && len(list.Runs) > 0 {
		p.Next = "/" + v.at(v.page+1).query()
	}
	for _, column := range slices.Concat([]string{"name", "experiment", "status", "start", "seconds"}, columns) {
		p.Headings = append(p.Headings, v.heading(column))
	}
	if p.Runs, err = s.runRows(ctx, v, list, columns); err != nil {
		return err
	}
	if first := ids(list.Runs); len(first) > 1 {
		first = first[:min(len(first), maxCompared)]
		p.First, p.Compared = "/compare?"+url.Values{"run": first}.Encode(), len(first)
	}
	for _, kind := range []string{"param", "metric", "tag"} {
		group := choiceGroup{Kind: kind}
		for _, c := range all {
			if key, of := strings.CutPrefix(c, kind+"/"); of {
				group.List = append(group.List, choice{Column: c, Label: columnLabel(c, key),
					Chosen: slices.Contains(columns, at.column(c)), Sorted: c == asked})
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
	s.render(w, code, "run_list", p)
	return nil
}

// ownLabels are the headings of a run's own columns.
var ownLabels = map[string]string{"start": "started (UTC)", "seconds": "time"}

// columnLabel returns the heading of a column.
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
	h := heading{Column: column, Label: columnLabel(column, key), Sort: "/" + v.sortedBy(column).query(),
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
	row := runRow{RunInfo: run, Took: duration(run), State: s.state(run)}
	for _, column := range columns {
		kind, key, _ := strings.Cut(column, "/")
		c := cell{}
		switch kind {
		case "param":
			c.Text = run.Params[key]
		case "tag":
			c.Text = run.Tags[key]
			switch several := strings.ContainsAny(c.Text, "\r\n"); {
			case key == noteTag && several: // a one-line field would change it
				c.Text = strings.Join(strings.Fields(c.Text), " ")
			case key == noteTag:
				c.Save, c.Key = "/runs/"+run.ID+"/note", "note"
			case s.isFree(key) && !several && !run.Deleted:
				c.Save, c.Key = "/runs/"+run.ID+"/tags", key
			}
		default:
			c.Right = true
			if x, ok := run.Metrics[key]; ok {
				c.Text = number(x)
			} else if withoutCut(key) != key { // it may have one at another cut
				c.Text = "-"
			}
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}
