package web

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// maxDots is the max number of runs of a search in a scatter chart, the newest ones. maxDotLabels is how many texts of
// a param have room below it.
const (
	maxDots      = 2000
	maxDotLabels = 12
)

// scatterView is the part of a page with a scatter chart: a param or metric against a metric.
type scatterView struct {
	Action     string // the page
	Keep       []keyValue
	X, Y       []choice
	LogX, LogY bool
	Picture    picture
}

// newScatter returns the scatter chart of the columns in the address of a page, otherwise of the first columns. shows
// is the part of the query with its runs. It returns nil for fewer than two columns.
func newScatter(action string, query url.Values, xs, ys []string, shows url.Values) *scatterView {
	if len(xs) > 0 && len(ys) > 0 && xs[0] == ys[0] { // runs without params in which they differ
		xs = append(slices.Clone(xs[1:]), xs[0])
	}
	if len(xs) == 0 || len(ys) == 0 || xs[0] == ys[0] {
		return nil
	}
	v := &scatterView{Action: action, Keep: kept(query, []string{"x", "y", "xlog", "ylog", "page"}),
		LogX: query.Get("xlog") == "1", LogY: query.Get("ylog") == "1"}
	q := maps.Clone(shows)
	for name, on := range map[string]bool{"xlog": v.LogX, "ylog": v.LogY} {
		if on {
			q.Set(name, "1")
		}
	}
	var x, y string
	v.X, x = chosenOf(xs, query.Get("x"))
	v.Y, y = chosenOf(ys, query.Get("y"))
	q.Set("x", x)
	q.Set("y", y)
	v.Picture = newPicture(keyOf(y)+" by "+keyOf(x), "/scatter", q)
	return v
}

// chosenOf returns columns to choose from, and the chosen one: the requested one, otherwise the first.
func chosenOf(columns []string, asked string) ([]choice, string) {
	chosen := columns[0]
	if slices.Contains(columns, asked) {
		chosen = asked
	}
	var list []choice
	for _, c := range columns {
		list = append(list, choice{Column: c, Label: keyOf(c), Chosen: c == chosen})
	}
	return list, chosen
}

func keyOf(column string) string {
	_, key, _ := strings.Cut(column, "/")
	return key
}

// scatterColumns returns the axes of the runs' parallel coordinates that a scatter chart may show: params that describe
// a config before metrics, and the usual metrics first.
func scatterColumns(runs []tracker.RunInfo, axes []choice) (xs, ys []string) {
	for _, a := range axes {
		if strings.HasPrefix(a.Column, "metric/") {
			ys = append(ys, a.Column)
			continue
		}
		one, err := axisOf(runs, a.Column)
		if err == nil && len(one.Labels) <= maxDotLabels && !isIdentity(a.Label) {
			xs = append(xs, a.Column)
		}
	}
	slices.SortStableFunc(ys, func(a, b string) int {
		rank := func(c string) int {
			if at := slices.Index(usualMetrics, withoutCut(keyOf(c))); at >= 0 {
				return at
			}
			return len(usualMetrics)
		}
		return rank(a) - rank(b)
	})
	return append(xs, ys...), ys
}

// scatter sends a chart of a param or metric of runs against a metric. The runs are those in the address, or those of a
// search.
func (s *site) scatter(format string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		x, y, refs := query.Get("x"), query.Get("y"), query["run"]
		if !strings.HasPrefix(y, "metric/") || len(refs) > maxCompared {
			return badRequestError{fmt.Sprintf("a scatter chart has param/KEY or metric/KEY as x, and metric/KEY as y, of a "+
				"search or of 1 to %d runs", maxCompared)}
		}
		var runs []tracker.RunInfo
		total := 0
		if len(refs) > 0 {
			list, err := s.find(r.Context(), refs)
			axes := []string{x, y}
			if err == nil {
				list, axes, err = s.at(r.Context(), list, axes)
			}
			if err != nil {
				return err
			}
			runs, x, y = list, axes[0], axes[1]
		} else {
			v, err := readListView(query)
			if err != nil {
				return err
			}
			v.sort, v.ascending = "", false
			axes, err := s.atOneCut(r.Context(), v, []string{x, y})
			if err != nil {
				return err
			}
			x, y = axes[0], axes[1]
			list, err := s.list(r.Context(), v, []string{x, y}, 0, maxDots)
			if err != nil {
				return err
			}
			runs, total = list.Runs, list.Total
		}
		c, err := scatterChart(runs, x, y, query["mark"], query.Get("xlog") == "1")
		if err != nil {
			return err
		}
		c.LogY = query.Get("ylog") == "1"
		if total > len(runs) {
			c.Caption = strings.TrimPrefix(c.Caption+fmt.Sprintf("; the newest %d of %d runs", len(runs), total), "; ")
		}
		return sendChart(w, r, c, format, "scatter")
	}
}

// scatterChart draws a dot for each run that has both values, in the run's colour. A param with few values has a place
// for each value, where the runs are side by side, with their mean and one standard deviation. Otherwise, and on a
// logarithmic axis, the numbers decide the place.
func scatterChart(runs []tracker.RunInfo, x, y string, marked []string, log bool) (chart.Chart, error) {
	all := len(runs)
	runs = slices.DeleteFunc(slices.Clone(runs), func(run tracker.RunInfo) bool { // they would take places on the axis
		v, ok := run.Metrics[keyOf(y)]
		return !ok || math.IsNaN(v) || math.IsInf(v, 0)
	})
	xAxis, err := axisOf(runs, x)
	if err != nil {
		return chart.Chart{}, err
	}
	yAxis, err := axisOf(runs, y)
	if err != nil {
		return chart.Chart{}, err
	}
	if log && xAxis.Labels != nil {
		return chart.Chart{}, badRequestError{"param " + xAxis.Name + " has texts: turn off the logarithmic horizontal axis"}
	}
	if strings.HasPrefix(x, "param/") && !log {
		xAxis = placedAxis(xAxis)
	}
	if len(xAxis.Labels) > maxDotLabels {
		return chart.Chart{}, badRequestError{fmt.Sprintf("param %s has %d texts; %d have room below a chart", xAxis.Name,
			len(xAxis.Labels), maxDotLabels)}
	}
	colors := make([]chart.Series, chart.Colors)
	var each []chart.Series // the values of a run, to be joined
	at := map[float64]int{}
	without := all - len(runs)
	names := distinctNames(runs)
	for i, run := range runs {
		vx, vy := xAxis.Values[i], yAxis.Values[i]
		if math.IsNaN(vx) || math.IsInf(vx, 0) {
			without++
			continue
		}
		each = append(each, chart.Series{X: []float64{vx}, Y: []float64{vy}})
		at[vx]++
		c := &colors[colorOf(run.ID)]
		if slices.Contains(marked, run.ID) {
			c.Marked = append(c.Marked, len(c.X))
		}
		if xAxis.Labels != nil {
			vx += dotGap * dotColumns[(at[vx]-1)%len(dotColumns)]
		}
		c.X, c.Y = append(c.X, vx), append(c.Y, vy)
		c.Names = append(c.Names, names[i])
	}
	o := chart.Options{Title: plain(yAxis.Name) + " by " + plain(xAxis.Name), XLabel: plain(xAxis.Name),
		YLabel: plain(yAxis.Name), LogX: log}
	var series []chart.Series
	for color, c := range colors {
		if len(c.X) > 0 {
			c.Place, c.XTexts = chart.PlaceOf(color, 0), xAxis.Labels
			series = append(series, c)
		}
	}
	var captions []string
	if xAxis.Labels != nil && len(at) < len(each) {
		alone := func(one chart.Series) bool { return at[one.X[0]] == 1 }
		means := chart.Over("", slices.DeleteFunc(each, alone)...)
		for i, x := range means.X {
			means.Names = append(means.Names, fmt.Sprintf("mean of %d runs", at[x]))
			means.X[i] += meanBeside
		}
		means.XTexts, means.Place = xAxis.Labels, chart.PlaceOf(chart.Colors-1, 0)
		series = append(series, means)
		captions = append(captions, "next to the runs at a value: their mean and one standard deviation of the sample")
	}
	if without > 0 {
		captions = append(captions, fmt.Sprintf("%d of %d runs have no number for both axes", without, all))
	}
	o.Caption = strings.Join(captions, "; ")
	return chart.Scatter(o, series...), nil
}

// How far the runs with a value of a param are from it, and how far their mean is, in shares of the value's place.
const (
	dotGap     = 0.06
	meanBeside = 0.28
)

// dotColumns are the offsets of the first, second, ... run of a value, in gaps.
var dotColumns = [...]float64{0, -1, 1, -2, 2}

// placedAxis assigns a place to each value of an axis if there are few, numbers in ascending order.
func placedAxis(a chart.Axis) chart.Axis {
	if a.Labels != nil {
		return a
	}
	values := slices.DeleteFunc(slices.Clone(a.Values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	slices.Sort(values)
	if values = slices.Compact(values); len(values) == 0 || len(values) > maxDotLabels {
		return a
	}
	for _, v := range values {
		a.Labels = append(a.Labels, number(v))
	}
	for i, v := range a.Values {
		if at, ok := slices.BinarySearch(values, v); ok {
			a.Values[i] = float64(at)
		}
	}
	return a
}
