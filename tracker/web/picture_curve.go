package web

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// maxCurves is the max number of runs in a chart of curves.
const maxCurves = 20

// curveColumns is the number of columns in which a long curve is read. A chart is not wider in px.
const curveColumns = 640

// curveView is what the address of a chart of curves contains.
type curveView struct {
	runs       []string
	places     []int // the style of each run; nil: by its id
	key        string
	LogX, LogY bool
	Bands      bool    // show a mean and its band instead of runs that differ only in the seed
	smooth     float64 // weight of earlier points, from 0 to below 1
	steps      *tracker.Steps
}

func readCurveView(query url.Values) (v curveView, err error) {
	v = curveView{runs: query["run"], key: query.Get("key"), LogX: query.Get("logx") == "1", LogY: query.Get("logy") == "1",
		Bands: query.Get("bands") == "1"}
	if text := query.Get("smooth"); text != "" {
		if v.smooth, err = strconv.ParseFloat(text, 64); err != nil || !(v.smooth >= 0 && v.smooth < 1) {
			return v, badRequestError{"smooth must be a number from 0 to below 1"}
		}
	}
	if from, to := query.Get("from"), query.Get("to"); from != "" || to != "" {
		v.steps = &tracker.Steps{From: math.MinInt64, To: math.MaxInt64}
		for text, end := range map[*int64]string{&v.steps.From: from, &v.steps.To: to} {
			if end == "" {
				continue
			}
			if *text, err = strconv.ParseInt(end, 10, 64); err != nil {
				return v, badRequestError{"from and to must be steps: whole numbers"}
			}
		}
		if v.steps.From > v.steps.To {
			return v, badRequestError{fmt.Sprintf("from (step %d) is after to (step %d): exchange them, or leave one out",
				v.steps.From, v.steps.To)}
		}
	}
	return v, nil
}

// look returns the part of the address that does not choose runs or a metric.
func (v curveView) look() url.Values {
	q := url.Values{}
	if v.LogX {
		q.Set("logx", "1")
	}
	if v.LogY {
		q.Set("logy", "1")
	}
	if v.Bands {
		q.Set("bands", "1")
	}
	if v.smooth > 0 {
		q.Set("smooth", strconv.FormatFloat(v.smooth, 'g', -1, 64))
	}
	if v.steps != nil && v.steps.From != math.MinInt64 {
		q.Set("from", strconv.FormatInt(v.steps.From, 10))
	}
	if v.steps != nil && v.steps.To != math.MaxInt64 {
		q.Set("to", strconv.FormatInt(v.steps.To, 10))
	}
	return q
}

// allSteps returns the address of a view without its range of steps, "" if it has none.
func allSteps(r *http.Request, query url.Values) string {
	if query.Get("from") == "" && query.Get("to") == "" {
		return ""
	}
	all := maps.Clone(query)
	all.Del("from")
	all.Del("to")
	return r.URL.Path + "?" + all.Encode() + "#curves"
}

// picture is a chart in a page, with its address in each format.
type picture struct {
	Title         string
	Alt           string // what it shows, in words
	SVG, PNG, PDF string
	Dark          string // the SVG on a dark page
}

func newPicture(title, path string, query url.Values) picture {
	text := ""
	if len(query) > 0 {
		text = "?" + query.Encode()
	}
	dark := url.Values{"dark": {"1"}}
	maps.Copy(dark, query)
	return picture{Title: title, Alt: title, SVG: path + ".svg" + text, PNG: path + ".png" + text, PDF: path + ".pdf" + text,
		Dark: path + ".svg?" + dark.Encode()}
}

// picture returns the chart of a metric of the view's runs, with their newest values in words.
func (v curveView) picture(key string, runs ...tracker.RunInfo) picture {
	q := v.look()
	q["run"], q["key"], q["place"] = v.runs, []string{key}, placeTexts(v.places)
	p := newPicture(key, "/curve", q)
	var ends []string
	names := distinctNames(runs)
	for i, run := range runs {
		if x, ok := run.Metrics[key]; ok {
			ends = append(ends, fmt.Sprintf("%s ends at %s", names[i], number(x)))
		}
	}
	p.Alt = "Curves of " + key + ": " + strings.Join(ends, ", ")
	return p
}

// curve sends a chart of one metric of some runs.
func (s *site) curve(format string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error { return s.sendCurve(w, r, format) }
}

func (s *site) sendCurve(w http.ResponseWriter, r *http.Request, format string) error {
	v, err := readCurveView(r.URL.Query())
	if err != nil {
		return err
	}
	if len(v.runs) == 0 || len(v.runs) > maxCurves || v.key == "" {
		return badRequestError{fmt.Sprintf("a chart shows one metric of 1 to %d runs", maxCurves)}
	}
	runs, err := s.find(r.Context(), v.runs)
	if err != nil {
		return err
	}
	if v.places, err = readPlaces(r.URL.Query(), runs); err != nil {
		return err
	}
	c, err := s.curveChart(r.Context(), v, runs)
	if err != nil {
		return err
	}
	return sendChart(w, r, c, format, "curve")
}

// curveChart draws every stored point or, for a long curve, the lowest and highest point of each column of px.
func (s *site) curveChart(ctx context.Context, v curveView, runs []tracker.RunInfo) (chart.Chart, error) {
	o := chart.Options{Title: v.key, XLabel: "step", YLabel: v.key, LogX: v.LogX, LogY: v.LogY}
	var lines, faint []chart.Series
	var captions []string
	var reduced, total, nans int
	names := distinctNames(runs)
	for i, run := range runs {
		c, err := s.store.Curve(ctx, run.ID, v.key, v.steps, curveColumns)
		if err != nil {
			return chart.Chart{}, err
		}
		line := chart.Series{Name: names[i], Place: v.places[i]}
		if len(runs) == 1 {
			line.Name = ""
		}
		for _, p := range c.Points {
			line.X, line.Y = append(line.X, float64(p.Step)), append(line.Y, p.Value)
		}
		if c.Reduced() {
			reduced, total, nans = reduced+len(c.Points), total+c.Total, nans+c.NaNs
		}
		if v.smooth > 0 && len(line.Y) > 0 {
			raw := line
			raw.Name, raw.Faint = "", true
			faint = append(faint, raw)
			line.X, line.Y = v.smoothCurve(c)
		}
		lines = append(lines, line)
	}
	if total > 0 {
		captions = append(captions, fmt.Sprintf("%d of %d points: the lowest and highest of each column of px", reduced, total))
	}
	if nans > 0 {
		captions = append(captions, fmt.Sprintf("%d of them are NaN and not drawn", nans))
	}
	if v.smooth > 0 {
		captions = append(captions, fmt.Sprintf("smoothed with weight %g; the thin line is as logged", v.smooth))
	}
	switch {
	case v.Bands && total > 0:
		captions = append(captions, "no bands: the columns of reduced curves differ")
	case v.Bands:
		keys, err := s.store.ConfigKeys(ctx, ids(runs))
		if err != nil {
			return chart.Chart{}, err
		}
		lines = joinBands(runs, lines, keys)
		captions = append(captions, "runs that differ in the seed alone are one line, their mean at each step; "+
			"the band is one standard deviation of the sample")
	}
	o.Caption = strings.Join(captions, "; ")
	return chart.Line(o, append(faint, lines...)...), nil
}

// joinBands joins the lines of runs with the same key, in place of the first of them. A seed that was trained twice
// has the same numbers twice, so only its first run counts.
func joinBands(runs []tracker.RunInfo, lines []chart.Series, keys map[string]string) []chart.Series {
	members, first, seen := map[string][]chart.Series{}, map[string]int{}, map[[2]string]bool{}
	for i, run := range runs {
		key, seed := configuration(run, keys[run.ID]), run.Params["seed"]
		if key == "" || seed != "" && seen[[2]string{key, seed}] {
			continue
		}
		if len(members[key]) == 0 {
			first[key] = i
		}
		seen[[2]string{key, seed}] = true
		members[key] = append(members[key], lines[i])
	}
	var joined []tracker.RunInfo // the first of each configuration, without its seed
	for i, run := range runs {
		if key := configuration(run, keys[run.ID]); key != "" && first[key] == i {
			run.Params = maps.Clone(run.Params)
			delete(run.Params, "seed")
			joined = append(joined, run)
		}
	}
	told, _ := distinguishNames(joined)
	var out []chart.Series
	for i, run := range runs {
		key := configuration(run, keys[run.ID])
		list := members[key]
		switch {
		case key == "":
			out = append(out, lines[i])
		case first[key] != i:
		case len(list) == 1:
			out = append(out, lines[i])
		default:
			name := title(run)
			if text := told[run.ID]; text != "" {
				name += ": " + text
			}
			band := chart.Over(fmt.Sprintf("%s, %d seeds", name, len(list)), list...)
			band.Place = lines[i].Place
			out = append(out, band)
		}
	}
	return out
}

func ids(runs []tracker.RunInfo) []string {
	list := make([]string, len(runs))
	for i, run := range runs {
		list[i] = run.ID
	}
	return list
}

// smoothCurve returns the exponential moving average of a curve, with a weight on earlier points, corrected for its
// start. It leaves out points that are not drawn. A column of a reduced curve counts as its number of points, all with
// their mean.
func (v curveView) smoothCurve(c tracker.Curve) (x, y []float64) {
	points, sum, mass := c.Points, 0.0, 0.0
	if c.Reduced() {
		points = c.Means
	}
	for i, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || v.LogY && p.Value <= 0 {
			continue
		}
		keep := v.smooth
		if c.Reduced() {
			keep = math.Pow(v.smooth, float64(c.Counts[i]))
		}
		sum, mass = keep*sum+(1-keep)*p.Value, keep*mass+(1-keep)
		x, y = append(x, float64(p.Step)), append(y, sum/mass)
	}
	return x, y
}

// sendChart sends a chart in a format. An SVG is drawn for a dark page if the address requests it.
func sendChart(w http.ResponseWriter, r *http.Request, c chart.Chart, format, name string) error {
	var raw []byte
	var err error
	kind := ""
	switch format {
	case "svg":
		kind = "image/svg+xml"
		draw := c.SVG
		if r.URL.Query().Get("dark") == "1" {
			draw = c.DarkSVG
		}
		raw, err = draw()
	case "png":
		kind = "image/png"
		raw, err = c.PNG()
	case "pdf":
		kind = "application/pdf"
		raw, err = c.PDF()
	default:
		return notFoundError{"a chart is an svg, png or pdf"}
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", "inline; filename="+name+"."+format)
	_, _ = w.Write(raw) // the reader may have gone
	return nil
}

// find returns runs in the order of the given ids, names or beginnings of ids, each once. All complete ids take one
// query together.
func (s *site) find(ctx context.Context, refs []string) ([]tracker.RunInfo, error) {
	stored, err := s.store.Runs(ctx, tracker.Filter{IDs: append([]string{}, refs...)})
	if err != nil {
		return nil, err
	}
	var runs []tracker.RunInfo
	for _, ref := range refs {
		at := slices.IndexFunc(stored, func(r tracker.RunInfo) bool { return r.ID == ref })
		var run tracker.RunInfo
		if at >= 0 {
			run = stored[at]
		} else if run, err = s.store.FindRun(ctx, ref); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(runs, func(r tracker.RunInfo) bool { return r.ID == run.ID }) {
			runs = append(runs, run)
		}
	}
	return runs, nil
}
