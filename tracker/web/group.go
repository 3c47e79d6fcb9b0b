package web

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// maxGrouped is the max number of runs of a search that are grouped, the newest ones. maxGroupParams is the max number
// of params that the page shows unless its address requests all, so that the results next to them stay visible.
const (
	maxGrouped     = 1000
	maxGroupParams = 4
)

// group has the runs of one configuration, which differ only in the seed.
type group struct {
	Title   string // of the newest run
	IDs     []string
	Seeds   []string
	Params  []string // in the order of the page's params
	Means   []mean   // of metrics
	Runs    string   // address of the comparison of its runs, "" for one run or too many
	RunPage string   // of the newest run

	first  tracker.RunInfo
	common map[string]string // params in which all of its runs agree
}

type groupPage struct {
	Search, Experiment string
	Experiments        []string
	Params, Metrics    []string
	Headings           []heading // of the columns by which the page can be sorted
	Groups             []group
	Runs, Total        int
	Hidden             int    // number of params that differ and are not shown
	Whole              string // address with them
	Unfinished         int    // runs that are left out
	Repeats            int    // runs that are left out because their seed has a newer one
	CSV                string
	Choices            []choice // metrics
	Newest             string   // address of the page in its default order, "" if it has that
	query              url.Values
	Wrong              string // what is wrong with the search
	Mixed              string // a note that metrics are at several cuts
}

// Keep is what a form must send besides its own fields to stay in the view.
func (p groupPage) Keep(names ...string) []keyValue { return kept(p.query, names) }

// groups shows the runs of a search by configuration: which params differ, and the mean and deviation of metrics over
// the runs of each.
func (s *site) groups(w http.ResponseWriter, r *http.Request) error {
	p, err := s.group(r, r.URL.Query().Get("params") == "all")
	if p.Wrong = wrongFilter(err); err != nil && p.Wrong == "" {
		return err
	}
	code := http.StatusOK
	if p.Wrong != "" {
		code = http.StatusBadRequest
	}
	s.render(w, code, "group", p)
	return nil
}

// group returns the page of a request, with every param in which configurations differ, or the ones that distinguish
// them best.
func (s *site) group(r *http.Request, every bool) (groupPage, error) {
	ctx := r.Context()
	v, err := readListView(r.URL.Query())
	if err != nil {
		return groupPage{}, err
	}
	v.every = every
	all, err := s.columns(ctx)
	if err != nil {
		return groupPage{}, err
	}
	p := groupPage{Search: v.search, Experiment: v.experiment, query: r.URL.Query()}
	if p.Experiments, err = s.experimentNames(ctx, v); err != nil {
		return p, err
	}
	params := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !strings.HasPrefix(c, "param/") })
	// The page is sorted here, because the list cannot sort by what only configurations have, such as "runs".
	by := v
	v.sort, v.ascending = "", false
	if strings.HasPrefix(by.sort, "metric/") {
		params = append(params, by.sort)
	}
	shown, list, at, err := s.found(ctx, v, all, params, 0, maxGrouped)
	by.sort = at.column(by.sort)
	if strings.Contains(by.sort, "/") && !slices.Contains(shown, by.sort) {
		shown = append(slices.Clone(shown), by.sort)
	}
	for _, c := range shown {
		if key, of := strings.CutPrefix(c, "metric/"); of {
			p.Metrics = append(p.Metrics, key)
		}
	}
	for _, c := range all {
		if key, of := strings.CutPrefix(c, "metric/"); of {
			p.Choices = append(p.Choices, choice{Column: c, Label: key,
				Chosen: slices.Contains(p.Metrics, at.key(key))})
		}
	}
	if err != nil {
		return p, err
	}
	keys, err := s.store.ConfigKeys(ctx, ids(list.Runs))
	if err != nil {
		return p, err
	}
	p.Mixed = at.note()
	p.Runs, p.Total = len(list.Runs), list.Total
	if p.group(list.Runs, keys, every, by.sort); p.Hidden > 0 {
		whole := maps.Clone(p.query)
		whole.Set("params", "all")
		p.Whole = "/groups?" + whole.Encode()
	}
	p.sort(by)
	p.CSV = "/groups.csv" + by.at(1).query()
	return p, nil
}

// sort sorts the groups by the view's column. Without one the newest come first.
func (p *groupPage) sort(by listView) {
	columns := slices.Concat([]string{"runs"}, prefixed("param/", p.Params), prefixed("metric/", p.Metrics))
	for _, column := range columns {
		h := by.heading(column)
		h.Sort = "/groups" + by.sortedBy(column).query()
		h.Right = !strings.HasPrefix(column, "param/")
		p.Headings = append(p.Headings, h)
	}
	at := slices.Index(columns, by.sort)
	if at < 0 {
		return
	}
	own := by
	own.sort, own.ascending = "", false
	p.Newest = "/groups" + own.query()
	slices.SortStableFunc(p.Groups, func(a, b group) int {
		x, y := a.sortedBy(at), b.sortedBy(at)
		order := cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.text, y.text))
		if !by.ascending {
			order = -order
		}
		return cmp.Or(cmp.Compare(x.kind, y.kind), order)
	})
}

// sortValue is what a group is sorted by: numbers (kind 0) before texts (1) before missing values (2).
type sortValue struct {
	kind   int
	number float64
	text   string
}

// sortedBy returns the value of a group in a column of the page: its number of runs, a param, or a metric.
func (g group) sortedBy(at int) sortValue {
	switch at--; {
	case at < 0:
		return sortValue{number: float64(len(g.IDs))}
	case at < len(g.Params):
		text := g.Params[at]
		if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) {
			return sortValue{number: x}
		}
		return sortValue{kind: map[bool]int{false: 1, true: 2}[text == ""], text: text}
	}
	m := g.Means[at-len(g.Params)]
	if m.N == 0 {
		return sortValue{kind: 2}
	}
	return sortValue{number: m.Mean}
}

// configuration returns a key that runs share if they differ only in the seed, "" for a run without a config key. It
// includes the experiment: programs that do not log their data have runs with the same params in several experiments.
func configuration(run tracker.RunInfo, key string) string {
	if key == "" {
		return ""
	}
	return key + "\x00" + run.Experiment
}

// group groups the finished runs by configuration, in the order of their first runs, with the newest run of each seed.
// A run without a key is a group of its own. The params are those in which groups differ.
func (p *groupPage) group(runs []tracker.RunInfo, keys map[string]string, every bool, sort string) {
	var groups []group
	at := map[string]int{}
	members := [][]tracker.RunInfo{}
	for _, run := range runs {
		if run.Status != string(tracker.Finished) {
			p.Unfinished++
			continue
		}
		key := cmp.Or(configuration(run, keys[run.ID]), run.ID)
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, group{Title: title(run), RunPage: "/runs/" + run.ID, first: run,
				common: maps.Clone(run.Params)})
			members = append(members, nil)
		}
		g := &groups[i]
		if slices.Contains(g.Seeds, run.Params["seed"]) { // training is deterministic
			p.Repeats++
			continue
		}
		g.IDs = append(g.IDs, run.ID)
		if seed := run.Params["seed"]; seed != "" {
			g.Seeds = append(g.Seeds, seed)
		}
		maps.DeleteFunc(g.common, func(key, value string) bool { return run.Params[key] != value })
		members[i] = append(members[i], run)
	}
	p.Params = differingParams(groups)
	if !every {
		p.shorten(groups, sort)
	}
	for i := range groups {
		g := &groups[i]
		for _, key := range p.Params {
			g.Params = append(g.Params, g.common[key])
		}
		for _, key := range p.Metrics {
			g.Means = append(g.Means, meanOf(members[i], key))
		}
		slices.SortFunc(g.Seeds, func(a, b string) int { // numbers by value
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		if len(g.IDs) > 1 {
			g.Runs = "/compare?" + url.Values{"run": g.IDs[:min(len(g.IDs), maxCurves)], "bands": {"1"}}.Encode()
		}
	}
	p.Groups = groups
}

// shorten keeps the params that distinguish groups best, and the one that the page is sorted by.
func (p *groupPage) shorten(groups []group, sort string) {
	if len(p.Params) <= maxGroupParams {
		return
	}
	var all []map[string]string
	for _, g := range groups[:min(len(groups), maxApartRuns)] {
		params := maps.Clone(g.common)
		maps.DeleteFunc(params, func(key, _ string) bool { return !slices.Contains(p.Params, key) })
		all = append(all, params)
	}
	told := distinguishing([][]map[string]string{all}, nil, maxGroupParams)
	if key, of := strings.CutPrefix(sort, "param/"); of && slices.Contains(p.Params, key) && !slices.Contains(told, key) {
		told = append(told, key)
	}
	p.Hidden, p.Params = len(p.Params)-len(told), told
}

// differingParams returns the params that have several values among the groups, and in which all runs of each group
// agree.
func differingParams(groups []group) []string {
	var list []string
	for _, key := range keysOf(firsts(groups), func(r tracker.RunInfo) map[string]string { return r.Params }) {
		values := map[string]bool{}
		whole := true
		for _, g := range groups {
			value, agrees := g.common[key]
			_, has := g.first.Params[key]
			whole = whole && agrees == has
			values[value] = true
		}
		if whole && len(values) > 1 && key != "seed" && key != "config_hash" && key != "name" {
			list = append(list, key)
		}
	}
	return list
}

func firsts(groups []group) []tracker.RunInfo {
	var list []tracker.RunInfo
	for _, g := range groups {
		list = append(list, g.first)
	}
	return list
}

// maxDecimals is the max number of decimals of a mean on a page.
const maxDecimals = 6

// mean is the mean of a metric over the runs of a group.
type mean struct {
	Mean, Deviation float64 // of a sample; 0 of one run
	N, Of           int     // runs that have it as a number, and all runs
}

// String returns the mean for a page: with two digits of the deviation, and the digits of the mean that are significant
// then.
func (m mean) String() string {
	if m.N == 0 {
		return ""
	}
	text := number(m.Mean)
	if m.N > 1 {
		decimals := 1 - int(math.Floor(math.Log10(m.Deviation)))
		if m.Deviation > 0 && decimals <= maxDecimals && math.Abs(m.Mean) < 1e7 {
			fixed := func(x float64) string { return strconv.FormatFloat(x, 'f', max(decimals, 0), 64) }
			text = fixed(m.Mean) + " ± " + fixed(m.Deviation)
		} else {
			text += " ± " + strconv.FormatFloat(m.Deviation, 'g', 2, 64)
		}
	}
	if m.N < m.Of {
		text += fmt.Sprintf(" (%d of %d)", m.N, m.Of)
	}
	return text
}

// exact returns the mean, the deviation and the number of runs for a file.
func (m mean) exact() []string {
	cells := []string{"", "", strconv.Itoa(m.N)}
	if m.N > 0 {
		cells[0] = exact(m.Mean)
	}
	if m.N > 1 {
		cells[1] = exact(m.Deviation)
	}
	return cells
}

func meanOf(runs []tracker.RunInfo, key string) mean {
	m := mean{Of: len(runs)}
	var values []float64
	for _, run := range runs {
		if x, ok := run.Metrics[key]; ok && !math.IsNaN(x) && !math.IsInf(x, 0) {
			values = append(values, x)
			m.Mean += x
		}
	}
	if m.N = len(values); m.N == 0 {
		return m
	}
	m.Mean /= float64(m.N)
	for _, x := range values {
		m.Deviation += (x - m.Mean) * (x - m.Mean)
	}
	if m.N > 1 {
		m.Deviation = math.Sqrt(m.Deviation / float64(m.N-1))
	}
	return m
}

// groupsCSV writes the groups with exact numbers and the ids of their runs.
func (s *site) groupsCSV(w http.ResponseWriter, r *http.Request) error {
	p, err := s.group(r, true)
	if err != nil {
		return err
	}
	head := slices.Concat([]string{"run_ids", "name", "runs", "seeds"}, prefixed("param/", p.Params))
	for _, key := range p.Metrics {
		head = append(head, "mean/"+key, "deviation/"+key, "n/"+key)
	}
	rows := [][]string{head}
	for _, g := range p.Groups {
		row := slices.Concat([]string{strings.Join(g.IDs, " "), g.first.Name, strconv.Itoa(len(g.IDs)),
			strings.Join(g.Seeds, " ")}, g.Params)
		for _, m := range g.Means {
			row = append(row, m.exact()...)
		}
		rows = append(rows, row)
	}
	writeCSV(w, "groups.csv", rows)
	return nil
}
