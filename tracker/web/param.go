package web

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// maxStudied is the max number of runs of a search that are studied, the newest ones.
const maxStudied = 10_000

// The max numbers of runs in parallel coordinates of a search, of best runs listed, of params next to them, and of
// sweeps offered.
const (
	maxDrawn      = 200
	maxBest       = 10
	maxBestParams = 6
	maxSweeps     = 30
)

// usualMetrics are the metrics by which params are judged: the first that at least half of the runs have.
var usualMetrics = []string{"test/mrr", "valid/mrr", "test/head_f1", "valid/head_f1", "loss"}

// paramsPage shows which params matter among the runs of a search.
type paramsPage struct {
	Search, Experiment string
	Experiments        []string
	Metric             string
	Metrics            []choice
	Lowest             bool // the lowest value is the best
	Runs, Read, Total  int  // runs that have the metric, that were read, and that match
	Unfinished, Refits int  // runs with the metric that are not studied
	Params             []importance
	Table              Table
	CSV                string
	Picture            *picture
	Best               []bestRun
	BestParams         []string
	BestCSV            string
	Compare            string
	Parallel           *picture
	Axes               []choice
	Scatter            *scatterView
	Sweeps             []sweepLink
	Wrong              string // what is wrong with the search
	Mixed              string // a note that the metric is at several cuts
	query              url.Values
}

// Keep is what a form must send besides its own fields to stay in the view.
func (p paramsPage) Keep(names ...string) []keyValue { return kept(p.query, names) }

type bestRun struct {
	tracker.RunInfo
	Swatch template.HTML
	State  string
	Value  string
	Params []string
}

// sweepLink is a link to the runs of a sweep.
type sweepLink struct {
	Name, Address string
	Runs          int
}

// params shows which params matter among the runs of a search.
func (s *site) params(w http.ResponseWriter, r *http.Request) error {
	p, err := s.study(r)
	if p.Wrong = wrongFilter(err); err != nil && p.Wrong == "" {
		return err
	}
	code := http.StatusOK
	if p.Wrong != "" {
		code = http.StatusBadRequest
	}
	s.render(w, code, "param", p)
	return nil
}

func (s *site) study(r *http.Request) (paramsPage, error) {
	ctx, query := r.Context(), r.URL.Query()
	v, err := readListView(query)
	if err != nil {
		return paramsPage{}, err
	}
	p := paramsPage{Search: v.search, Experiment: v.experiment, Metric: query.Get("metric"), query: query}
	if p.Experiments, err = s.experimentNames(ctx, v); err != nil {
		return p, err
	}
	all, err := s.columns(ctx)
	if err != nil {
		return p, err
	}
	if p.Sweeps, err = s.sweeps(ctx, v.experiment, all); err != nil {
		return p, err
	}
	if p.Metric == "" {
		if p.Metric, err = s.usualMetric(ctx, v, all); err != nil {
			return p, err
		}
	}
	if p.Metric == "" {
		if p.Metric, err = s.firstMetric(ctx, v, all); err != nil {
			return p, err
		}
	}
	cut, err := s.oneCut(ctx, v, all, []string{"metric/" + p.Metric})
	if err != nil {
		return p, err
	}
	p.Metric, p.Mixed = cut.key(p.Metric), cut.note()
	var columns []string
	for _, c := range all {
		if key, of := strings.CutPrefix(c, "metric/"); of {
			p.Metrics = append(p.Metrics, choice{Column: key, Label: key, Chosen: cut.key(key) == p.Metric})
		} else if strings.HasPrefix(c, "param/") {
			columns = append(columns, c)
		}
	}
	p.Lowest = tracker.LowestIsBest(p.Metric)
	if best := query.Get("best"); best != "" {
		p.Lowest = best == "low"
	}
	if p.Metric == "" {
		return p, nil
	}
	for _, end := range []string{"", "_lo", "_hi"} {
		columns = append(columns, "metric/"+endOf(p.Metric, end))
	}
	for _, tag := range []string{s.o.SweepTag, s.o.TrialTag} {
		if tag != "" {
			columns = append(columns, "tag/"+tag)
		}
	}
	// The newest runs are read, not the best: runs chosen by the metric say little about what decides it.
	v.sort, v.ascending = "", false
	list, err := s.list(ctx, v, columns, 0, maxStudied)
	if err != nil {
		return p, err
	}
	p.Total, p.Read = list.Total, len(list.Runs)
	runs := slices.DeleteFunc(list.Runs, func(run tracker.RunInfo) bool {
		x, ok := run.Metrics[p.Metric]
		return !ok || math.IsNaN(x) || math.IsInf(x, 0)
	})
	p.Runs = len(runs)
	slices.SortStableFunc(runs, func(a, b tracker.RunInfo) int {
		order := cmp.Compare(b.Metrics[p.Metric], a.Metrics[p.Metric])
		if p.Lowest {
			return -order
		}
		return order
	})
	if len(runs) > 0 {
		p.judge(runs, s.o, s.state)
	}
	return p, nil
}

// usualMetric returns the first usual metric that at least half of the newest runs of a search have, otherwise the one
// that the most runs have, or "" if none has any. Test metrics may be rare: a search for a config tests only the best
// config.
func (s *site) usualMetric(ctx context.Context, v listView, all []string) (metric string, err error) {
	var columns []string
	for _, usual := range usualMetrics {
		if column := "metric/" + usual; slices.Contains(all, column) {
			columns = append(columns, column)
		}
	}
	v.sort, v.ascending = "", false
	list, err := s.list(ctx, v, columns, 0, maxDrawn)
	if err != nil {
		return "", err
	}
	most := 0
	for _, usual := range usualMetrics {
		n := 0
		for _, run := range list.Runs {
			if _, has := run.Metrics[usual]; has {
				n++
			}
		}
		if n > most {
			metric, most = usual, n
		}
		if 2*most >= len(list.Runs) {
			break
		}
	}
	return metric, nil
}

// firstMetric returns the first metric that any of the newest runs of a search has, otherwise the first of all runs; ""
// if there is none.
func (s *site) firstMetric(ctx context.Context, v listView, all []string) (string, error) {
	v.sort, v.ascending = "", false
	list, err := s.list(ctx, v, nil, 0, rowsPerPage)
	if err == nil && len(list.Runs) > 0 {
		list.Runs, err = s.store.Runs(ctx, tracker.Filter{IDs: ids(list.Runs)})
	}
	if err != nil {
		return "", err
	}
	for _, c := range slices.Concat(present(all, list.Runs), all) {
		if key, of := strings.CutPrefix(c, "metric/"); of {
			return key, nil
		}
	}
	return "", nil
}

// judge fills the page from the runs that have the metric, the best first, and their states in words.
func (p *paramsPage) judge(runs []tracker.RunInfo, o Options, state func(tracker.RunInfo) string) {
	p.Params = importances(p.studiedRuns(runs, o), p.Metric, p.Lowest)
	p.Table = importanceTable(p.Params, p.Metric)
	view := url.Values{"metric": {p.Metric}, "best": {map[bool]string{false: "high", true: "low"}[p.Lowest]}}
	for name, value := range map[string]string{"q": p.Search, "experiment": p.Experiment} {
		if value != "" {
			view.Set(name, value)
		}
	}
	p.CSV = "/params.csv?" + view.Encode()
	if len(p.Params) > 0 {
		drawn := newPicture("Share of the ranks of "+p.Metric, "/importance", view)
		p.Picture = &drawn
	}
	for _, one := range p.Params {
		if len(p.BestParams) < maxBestParams {
			p.BestParams = append(p.BestParams, one.Keys[0])
		}
	}
	best := runs[:min(len(runs), maxBest)]
	marked := ids(best)[:min(len(best), usualMarks)]
	look := places(ids(runs[:min(len(runs), maxDrawn)]), marked...) // in the form of the picture below
	for i, run := range best {
		row := bestRun{RunInfo: run, Swatch: template.HTML(chart.Swatch(look[i])), State: state(run),
			Value: number(run.Metrics[p.Metric])}
		if low, high, ok := interval(run, p.Metric); ok {
			row.Value += fmt.Sprintf(" [%s, %s]", number(low), number(high))
		}
		for _, key := range p.BestParams {
			row.Params = append(row.Params, run.Params[key])
		}
		p.Best = append(p.Best, row)
	}
	if len(best) > 1 {
		p.Compare = "/compare?" + url.Values{"run": ids(best)}.Encode()
	}
	list := listView{search: p.Search, experiment: p.Experiment, sort: "metric/" + p.Metric, ascending: p.Lowest, page: 1,
		rows: rowsPerPage}
	for _, key := range p.BestParams {
		list.columns = append(list.columns, "param/"+key)
	}
	p.BestCSV = "/runs.csv" + list.query()
	p.axes(runs)
	shows := maps.Clone(view)
	shows["mark"] = marked[:1]
	xs, ys := scatterColumns(runs, p.Axes)
	for _, m := range p.Metrics {
		if column := "metric/" + m.Column; column != ys[0] {
			xs = append(xs, column)
		}
	}
	p.Scatter = newScatter("/params", p.query, slices.DeleteFunc(xs, func(c string) bool { return c == ys[0] }), ys, shows)
	view["mark"] = marked
	p.Parallel = parallelPicture(view, p.Axes)
}

// studiedRuns returns the runs by which params are judged. They must have finished, since the newest value of another
// run is from some moment of its training. Of a search only its trials count: the best config is trained again, and
// would count several times.
func (p *paramsPage) studiedRuns(runs []tracker.RunInfo, o Options) []tracker.RunInfo {
	searches := map[string]bool{}
	for _, run := range runs {
		if run.Tags[o.TrialTag] != "" {
			searches[run.Tags[o.SweepTag]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(runs), func(run tracker.RunInfo) bool {
		unfinished := run.Status != string(tracker.Finished)
		refit := !unfinished && run.Tags[o.TrialTag] == "" && run.Tags[o.SweepTag] != "" && searches[run.Tags[o.SweepTag]]
		if unfinished {
			p.Unfinished++
		} else if refit {
			p.Refits++
		}
		return unfinished || refit
	})
}

// axes returns the params that matter most and the metric, unless the address names others.
func (p *paramsPage) axes(runs []tracker.RunInfo) {
	named := p.query["axis"]
	drawn := runs[:min(len(runs), maxDrawn)]
	shown := 0
	for _, one := range p.Params {
		for i, key := range one.Keys {
			column := "param/" + key
			if _, err := axisOf(drawn, column); err != nil {
				continue
			}
			usual := i == 0 && shown < maxBestParams
			if usual {
				shown++
			}
			p.Axes = append(p.Axes, choice{Column: column, Label: key,
				Chosen: len(named) == 0 && usual || slices.Contains(named, column)})
		}
	}
	column := "metric/" + p.Metric
	p.Axes = append(p.Axes, choice{Column: column, Label: p.Metric,
		Chosen: len(named) == 0 || slices.Contains(named, column)})
}

// drawnRuns returns the runs of a search for parallel coordinates, the best ones, and the columns of the axes.
func (s *site) drawnRuns(ctx context.Context, query url.Values) ([]tracker.RunInfo, []string, error) {
	v, err := readListView(query)
	if err != nil {
		return nil, nil, err
	}
	columns := slices.Clone(query["axis"])
	metric := query.Get("metric")
	if columns, err = s.atOneCut(ctx, v, append(columns, "metric/"+metric)); err != nil {
		return nil, nil, err
	}
	axes, last := columns[:len(columns)-1], columns[len(columns)-1]
	if metric == "" {
		list, err := s.list(ctx, v, axes, 0, maxDrawn)
		return list.Runs, axes, err
	}
	metric = strings.TrimPrefix(last, "metric/")
	v.sort, v.ascending = last, query.Get("best") == "low"
	list, err := s.list(ctx, v, columns, 0, maxDrawn)
	return slices.DeleteFunc(list.Runs, func(run tracker.RunInfo) bool { // they are not part of the study
		x, ok := run.Metrics[metric]
		return !ok || math.IsNaN(x) || math.IsInf(x, 0)
	}), axes, err
}

// sweeps returns the sweeps that have runs in an experiment, or in any.
func (s *site) sweeps(ctx context.Context, experiment string, columns []string) ([]sweepLink, error) {
	tag := "tag/" + s.o.SweepTag
	if s.o.SweepTag == "" || !slices.Contains(columns, tag) {
		return nil, nil
	}
	name := "tags.`" + s.o.SweepTag + "`"
	list, err := s.list(ctx, listView{search: name + " IS NOT NULL", experiment: experiment}, []string{tag}, 0, 0)
	if err != nil {
		return nil, err
	}
	var links []sweepLink
	for _, run := range list.Runs {
		sweep := run.Tags[s.o.SweepTag]
		at := slices.IndexFunc(links, func(l sweepLink) bool { return l.Name == sweep })
		switch {
		case at >= 0:
			links[at].Runs++
		case !strings.Contains(sweep, "'") && len(links) < maxSweeps: // the filter language cannot escape a quote
			to := url.Values{"q": {name + " = '" + sweep + "'"}}
			if experiment != "" {
				to.Set("experiment", experiment)
			}
			links = append(links, sweepLink{sweep, "/params?" + to.Encode(), 1})
		}
	}
	return links, nil
}
