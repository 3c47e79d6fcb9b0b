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

// mostGrouped is how many runs of a search are grouped, the newest ones.
const mostGrouped = 1000

// group is the runs of one configuration, which differ in the seed alone.
type group struct {
	Name    string // of the newest run
	IDs     []string
	Seeds   []string
	Params  []string // in the order of the page's
	Cells   []string // means of metrics
	Runs    string   // address of the comparison of its runs, "" of one run or too many
	RunPage string   // of the newest run

	first  tracker.RunInfo
	common map[string]string // params in which all of its runs agree
}

type groupPage struct {
	Search, Experiment string
	Experiments        []string
	Params, Metrics    []string
	Groups             []group
	Runs, Total        int
	CSV                string
	Wrong              string // what is wrong with the search
}

// groups shows the runs of a search by configuration: which params differ, and the mean and the deviation of metrics
// over the runs of each.
func (s *site) groups(w http.ResponseWriter, r *http.Request) error {
	p, err := s.group(r)
	if p.Wrong = wrongFilter(err); err != nil && p.Wrong == "" {
		return err
	}
	code := http.StatusOK
	if p.Wrong != "" {
		code = http.StatusBadRequest
	}
	s.render(w, code, "groups", p)
	return nil
}

func (s *site) group(r *http.Request) (groupPage, error) {
	ctx := r.Context()
	v, err := readListView(r.URL.Query())
	if err != nil {
		return groupPage{}, err
	}
	all, err := s.store.Columns(ctx)
	if err != nil {
		return groupPage{}, err
	}
	p := groupPage{Search: v.search, Experiment: v.experiment}
	if p.Experiments, err = s.store.Experiments(ctx); err != nil {
		return p, err
	}
	columns := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !strings.HasPrefix(c, "param/") })
	for _, c := range v.chosen(all) {
		if key, of := strings.CutPrefix(c, "metric/"); of {
			p.Metrics, columns = append(p.Metrics, key), append(columns, c)
		}
	}
	v.sort, v.ascending = "", false
	list, err := s.list(ctx, v, columns, 0, mostGrouped)
	if err != nil {
		return p, err
	}
	keys, err := s.store.ConfigKeys(ctx, ids(list.Runs))
	if err != nil {
		return p, err
	}
	p.Runs, p.Total = len(list.Runs), list.Total
	p.Groups, p.Params = grouped(list.Runs, keys, p.Metrics)
	q := url.Values{}
	for name, value := range map[string]string{"q": v.search, "experiment": v.experiment} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if v.columns != nil {
		q["col"] = v.columns
	}
	p.CSV = "/groups.csv?" + q.Encode()
	return p, nil
}

// grouped makes groups of the runs with one key, in the order of their first runs. A run without a key is alone. The
// params are those in which groups differ.
func grouped(runs []tracker.RunInfo, keys map[string]string, metrics []string) (groups []group, params []string) {
	at := map[string]int{}
	members := [][]tracker.RunInfo{}
	for _, run := range runs {
		key := cmp.Or(keys[run.ID], run.ID)
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, group{Name: run.Name, RunPage: "/runs/" + run.ID, first: run,
				common: maps.Clone(run.Params)})
			members = append(members, nil)
		}
		g := &groups[i]
		g.IDs = append(g.IDs, run.ID)
		if seed := run.Params["seed"]; seed != "" {
			g.Seeds = append(g.Seeds, seed)
		}
		maps.DeleteFunc(g.common, func(key, value string) bool { return run.Params[key] != value })
		members[i] = append(members[i], run)
	}
	params = differing(groups)
	for i := range groups {
		g := &groups[i]
		for _, key := range params {
			g.Params = append(g.Params, g.common[key])
		}
		for _, key := range metrics {
			mean, deviation, n := meanOf(members[i], key)
			text := ""
			if n > 0 {
				text = number(mean)
			}
			if n > 1 {
				text += " ± " + strconv.FormatFloat(deviation, 'g', 2, 64)
			}
			if n > 0 && n < len(members[i]) {
				text += fmt.Sprintf(" (%d runs)", n)
			}
			g.Cells = append(g.Cells, text)
		}
		slices.Sort(g.Seeds)
		if len(g.IDs) > 1 && len(g.IDs) <= mostCurves {
			g.Runs = "/compare?" + url.Values{"run": g.IDs, "bands": {"1"}}.Encode()
		}
	}
	return groups, params
}

// differing are the params that have several values among the groups, where all runs of each group agree.
func differing(groups []group) []string {
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

// meanOf is the mean and the sample's standard deviation of a metric over the runs that have it as a number.
func meanOf(runs []tracker.RunInfo, key string) (mean, deviation float64, n int) {
	var values []float64
	for _, run := range runs {
		if x, ok := run.Metrics[key]; ok && !math.IsNaN(x) && !math.IsInf(x, 0) {
			values = append(values, x)
			mean += x
		}
	}
	if n = len(values); n == 0 {
		return 0, 0, 0
	}
	mean /= float64(n)
	for _, x := range values {
		deviation += (x - mean) * (x - mean)
	}
	if n > 1 {
		deviation = math.Sqrt(deviation / float64(n-1))
	}
	return mean, deviation, n
}

// groupsCSV writes the groups as they are shown, with the ids of their runs.
func (s *site) groupsCSV(w http.ResponseWriter, r *http.Request) error {
	p, err := s.group(r)
	if err != nil {
		return err
	}
	rows := [][]string{slices.Concat([]string{"run_ids", "name", "runs", "seeds"}, p.Params, p.Metrics)}
	for _, g := range p.Groups {
		rows = append(rows, slices.Concat([]string{strings.Join(g.IDs, " "), g.Name, strconv.Itoa(len(g.IDs)),
			strings.Join(g.Seeds, " ")}, g.Params, g.Cells))
	}
	writeCSV(w, "groups.csv", rows)
	return nil
}
