package web

import (
	"context"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// maxCompared is the max number of runs in a comparison. If there are more than maxCurves, the first ones have curves.
const maxCompared = 50

// comparePage shows runs side by side.
type comparePage struct {
	Runs       []tracker.RunInfo
	Missing    []string        // why runs of the address are left out
	Swatches   []template.HTML // how the lines of the runs look
	States     []string        // of the runs
	Told       []string        // what distinguishes runs with the same name
	Params     []comparedRow
	Metrics    []comparedRow
	Difference bool // for two runs: the second minus the first
	All        bool
	Hidden     int    // params that agree and metrics that are not shown
	Other      string // address with all, or with the differences only
	CSV        string
	Mixed      string // a note that metrics are at several cuts
	OwnCuts    bool   // curves are of metrics at several cuts
	Best       bool   // metrics have their best values too
	OtherBest  string // address with them, or without
	Curves     []picture
	Drawn      int // number of runs with curves, 0 for all
	Keys       []choice
	Look       curveView
	Smooth     string
	From, To   string
	AllSteps   string // address of the view without a range of steps, "" if it has none
	FewRuns    bool
	Seeds      bool     // some runs differ only in the seed
	Parallel   *picture // nil: there are too few axes
	Axes       []choice
	Marks      []choice // runs that are highlighted
	Scatter    *scatterView
	Intervals  bool // some differences have intervals
	Paired     *pairView
	Beside     []besideTable
	query      url.Values
}

// besideTable is a table of the Reader, with the address of its CSV.
type besideTable struct {
	Table
	CSV string
}

// Keep is what a form must send besides its own fields to stay in the view.
func (p comparePage) Keep(names ...string) []keyValue { return kept(p.query, names) }

// kept returns the query of an address without the given names.
func kept(query url.Values, without []string) []keyValue {
	var list []keyValue
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(without, name) {
			continue
		}
		for _, value := range query[name] {
			list = append(list, keyValue{name, value})
		}
	}
	return list
}

// comparedRow is a param or metric of each run.
type comparedRow struct {
	Key        string
	Cells      []string
	Difference string
}

func (s *site) compare(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	for _, name := range []string{"key", "value", "back"} { // other fields of the form below the table of runs
		query.Del(name)
	}
	look, err := readCurveView(query)
	if err != nil {
		return err
	}
	if len(look.runs) > maxCompared {
		return badRequestError{fmt.Sprintf("at most %d runs are compared, not %d", maxCompared, len(look.runs))}
	}
	runs, missing, err := s.findPresent(r.Context(), look.runs)
	if err != nil {
		return err
	}
	look.runs = ids(runs)
	query["run"] = look.runs
	p := comparePage{query: query, Runs: runs, Missing: missing, All: query.Get("all") == "1", Difference: len(runs) == 2, Look: look,
		Smooth: query.Get("smooth"), From: query.Get("from"), To: query.Get("to"), FewRuns: len(runs) < 2}
	if p.FewRuns {
		s.render(w, http.StatusOK, "compare", p)
		return nil
	}
	p.AllSteps = allSteps(r, query)
	keys, err := s.store.ConfigKeys(r.Context(), look.runs)
	if err != nil {
		return err
	}
	marked := given(query["mark"])
	if marked == nil && len(runs) > maxCurves {
		marked = look.runs[:usualMarks]
	}
	names := distinctNames(runs)
	told, _ := distinguishNames(runs)
	for i, run := range runs {
		config := configuration(run, keys[run.ID])
		p.Seeds = p.Seeds || config != "" && slices.ContainsFunc(runs[:i], func(other tracker.RunInfo) bool {
			return configuration(other, keys[other.ID]) == config
		})
		p.States, p.Told = append(p.States, s.state(run)), append(p.Told, told[run.ID])
		p.Marks = append(p.Marks, choice{Column: run.ID, Label: names[i],
			Chosen: slices.Contains(marked, run.ID)})
	}
	look.places = places(look.runs)
	for _, place := range look.places {
		p.Swatches = append(p.Swatches, template.HTML(chart.Swatch(place)))
	}
	at := s.comparedAt(runs)
	valued := at.ofRuns(runs)
	p.Mixed = at.note()
	if p.Best = query.Get("best") == "1"; p.Best {
		if valued, err = s.withBest(r.Context(), valued, nil); err != nil {
			return err
		}
	}
	p.Axes = axisChoices(valued, query["axis"])
	p.Parallel = parallelPicture(url.Values{"run": look.runs, "place": placeTexts(look.places), "mark": marked}, p.Axes)
	xs, ys := scatterColumns(valued, p.Axes)
	telling := tellingParams(runs, xs, maxParamAxes)
	if at := slices.IndexFunc(xs, func(c string) bool { return slices.Contains(telling, c) }); at > 0 {
		xs = slices.Concat(xs[at:at+1], xs[:at], xs[at+1:])
	}
	p.Scatter = newScatter("/compare", query, xs, ys, url.Values{"run": look.runs, "mark": marked})
	p.Params, p.Metrics, p.Hidden = compareRuns(valued, p.All)
	p.Intervals = slices.ContainsFunc(p.Metrics, func(m comparedRow) bool { return strings.Contains(m.Difference, "[") })
	if p.Paired, err = s.compareQueries(r, runs, query); err != nil {
		return err
	}
	if s.o.Reader != nil {
		for i, t := range s.o.Reader.Beside(runs) {
			p.Beside = append(p.Beside, besideTable{t, fmt.Sprintf("/compare/%d?", i+1) + url.Values{"run": look.runs}.Encode()})
		}
	}
	other := maps.Clone(query)
	other.Del("all")
	if !p.All {
		other.Set("all", "1")
	}
	p.Other = "/compare?" + other.Encode()
	file := url.Values{"run": look.runs}
	other = maps.Clone(query)
	if other.Del("best"); p.Best {
		file.Set("best", "1")
	} else {
		other.Set("best", "1")
	}
	p.OtherBest, p.CSV = "/compare?"+other.Encode()+"#metrics", "/compare.csv?"+file.Encode()
	all := tracker.RunInfo{Metrics: map[string]float64{}}
	for _, run := range runs {
		maps.Copy(all.Metrics, run.Metrics)
	}
	chosen := chosenCurves(all, query["curve"])
	if len(look.runs) > maxCurves {
		look.runs, look.places, p.Drawn = look.runs[:maxCurves], look.places[:maxCurves], maxCurves
	}
	for _, key := range chosen {
		p.OwnCuts = p.OwnCuts || at[key] != ""
		p.Curves = append(p.Curves, look.picture(key, runs[:len(look.runs)]...))
	}
	for _, key := range slices.Sorted(maps.Keys(all.Metrics)) {
		p.Keys = append(p.Keys, choice{Column: key, Label: key, Chosen: slices.Contains(chosen, key)})
	}
	s.render(w, http.StatusOK, "compare", p)
	return nil
}

// findPresent finds runs as find does, but leaves out runs that were deleted since the address was made. missing
// describes these. If no run is left, it returns an error.
func (s *site) findPresent(ctx context.Context, refs []string) (runs []tracker.RunInfo, missing []string, err error) {
	runs, err = s.find(ctx, refs)
	if tracker.ErrorCode(err) != tracker.CodeNotFound || len(refs) < 2 {
		return runs, nil, err
	}
	var present []string
	for _, ref := range refs {
		switch _, err := s.find(ctx, []string{ref}); {
		case err == nil:
			present = append(present, ref)
		case tracker.ErrorCode(err) == tracker.CodeNotFound:
			missing = append(missing, strings.TrimSuffix(err.Error()+". "+s.words(hint.Of(err)), ". "))
		default:
			return nil, nil, err
		}
	}
	if len(present) == 0 {
		return nil, nil, err
	}
	runs, err = s.find(ctx, present)
	return runs, missing, err
}

// compareRuns returns the params and newest metrics of runs side by side. Without all, it leaves out params that agree,
// metrics of a cut or category, ends of intervals, and system metrics.
func compareRuns(runs []tracker.RunInfo, all bool) (params, metrics []comparedRow, hidden int) {
	cut := comparedRow{Key: "cut of the test/ metrics of sets"} // runs may have different ones
	for _, run := range runs {
		cut.Cells = append(cut.Cells, run.Tags[tracker.TagCriterion])
	}
	if slices.ContainsFunc(cut.Cells, func(text string) bool { return text != "" }) {
		params = append(params, cut)
	}
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params }) {
		if !all && (agree(runs, key) || isIdentity(key)) {
			hidden++
			continue
		}
		row := comparedRow{Key: key}
		for _, run := range runs {
			row.Cells = append(row.Cells, run.Params[key])
		}
		params = append(params, row)
	}
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics }) {
		if !all && (strings.Count(key, "/") > 1 || strings.HasPrefix(key, "system/") || isEnd(key)) {
			hidden++
			continue
		}
		row := comparedRow{Key: key}
		for _, run := range runs {
			text := ""
			if x, ok := run.Metrics[key]; ok {
				text = number(x)
			}
			if low, high, ok := interval(run, key); ok {
				text += fmt.Sprintf(" [%s, %s]", number(low), number(high))
			}
			row.Cells = append(row.Cells, text)
		}
		if len(runs) == 2 && row.Cells[0] != "" && row.Cells[1] != "" {
			row.Difference = difference(runs[0], runs[1], key)
		}
		metrics = append(metrics, row)
	}
	return params, metrics, hidden
}

// interval returns the 95 % interval of a metric, if the run logged one.
func interval(run tracker.RunInfo, key string) (low, high float64, ok bool) {
	low, hasLow := run.Metrics[endOf(key, "_lo")]
	high, hasHigh := run.Metrics[endOf(key, "_hi")]
	return low, high, hasLow && hasHigh
}

// difference returns b's value of a metric minus a's, with a 95 % interval if both have one. The interval treats the
// two as independent (Zou and Donner, Statistics in Medicine 27, 2008). Runs on the same queries vary together, so it
// is wider than a paired interval.
func difference(a, b tracker.RunInfo, key string) string {
	x, y := a.Metrics[key], b.Metrics[key]
	if math.IsNaN(y - x) {
		return ""
	}
	text := fmt.Sprintf("%+.4g", y-x)
	aLow, aHigh, aOK := interval(a, key)
	bLow, bHigh, bOK := interval(b, key)
	if !aOK || !bOK {
		return text
	}
	return text + fmt.Sprintf(" [%+.4g, %+.4g]", y-x-math.Hypot(y-bLow, aHigh-x), y-x+math.Hypot(bHigh-y, x-aLow))
}

// keysOf returns the keys that any of the runs has, in order.
func keysOf[V any](runs []tracker.RunInfo, of func(tracker.RunInfo) map[string]V) []string {
	all := map[string]bool{}
	for _, run := range runs {
		for key := range of(run) {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// compareCSV writes every param and newest metric of the runs, one run per row, with exact numbers, and the best values
// of metrics if they are requested.
func (s *site) compareCSV(w http.ResponseWriter, r *http.Request) error {
	refs := r.URL.Query()["run"]
	if len(refs) > maxCompared {
		return badRequestError{fmt.Sprintf("at most %d runs are compared, not %d", maxCompared, len(refs))}
	}
	runs, err := s.find(r.Context(), refs)
	runs = s.comparedAt(runs).ofRuns(runs)
	if err == nil && r.URL.Query().Get("best") == "1" {
		runs, err = s.withBest(r.Context(), runs, nil)
	}
	if err != nil {
		return err
	}
	params := keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params })
	metrics := keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics })
	rows := [][]string{slices.Concat([]string{"run_id", "name", "status"}, prefixed("param/", params),
		prefixed("metric/", metrics))}
	for _, run := range runs {
		row := []string{run.ID, run.Name, run.Status}
		for _, key := range params {
			row = append(row, run.Params[key])
		}
		for _, key := range metrics {
			text := ""
			if x, ok := run.Metrics[key]; ok {
				text = exact(x)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	writeCSV(w, "compare.csv", rows)
	return nil
}

// prefixed returns keys with a prefix, as headings of a file in which a param and a metric may have the same key.
func prefixed(kind string, keys []string) []string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = kind + key
	}
	return list
}

// besideCSV writes one of the tables that the Reader makes of several runs.
func (s *site) besideCSV(w http.ResponseWriter, r *http.Request) error {
	refs := r.URL.Query()["run"]
	n, err := strconv.Atoi(r.PathValue("table"))
	if s.o.Reader == nil || err != nil || len(refs) > maxCompared {
		return notFoundError{"there is no such table"}
	}
	runs, err := s.find(r.Context(), refs)
	if err != nil {
		return err
	}
	tables := s.o.Reader.Beside(runs)
	if n < 1 || n > len(tables) {
		return notFoundError{"there is no such table"}
	}
	writeTable(w, "compare.csv", "", tables[n-1])
	return nil
}

// title returns the name of a run, or its id if the name is invisible.
func title(run tracker.RunInfo) string { return nameOr(run.Name, run.ID) }

func nameOr(name, id string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) {
		return plain(name)
	}
	return id
}

// side is the data of the template of a table with a column per run.
type side struct {
	Runs       []tracker.RunInfo
	Swatches   []template.HTML
	States     []string
	Told       []string
	Kind       string
	Rows       []comparedRow
	Difference bool
}

func newSide(p comparePage, kind string, rows []comparedRow, difference bool) side {
	return side{p.Runs, p.Swatches, p.States, p.Told, kind, rows, difference}
}
