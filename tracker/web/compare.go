package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// comparePage shows runs side by side.
type comparePage struct {
	Runs         []tracker.RunInfo
	Params       []comparedRow
	Metrics      []comparedRow
	Difference   bool // for two runs: the second one less the first one
	All          bool
	Hidden       int    // params that agree and metrics that are not shown
	Other        string // address with all, or with the differences only
	CSV          string
	Curves       []picture
	Keys         []choice
	Look         curveView
	Smooth       string
	From, To     string
	FewRuns      bool
	ChosenCurves []string
}

// comparedRow is a param or metric of each run.
type comparedRow struct {
	Key        string
	Cells      []string
	Difference string
}

func (s *site) compare(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	look, err := readCurveView(query)
	if err != nil {
		return err
	}
	if len(look.runs) > mostCurves {
		return badRequestError{fmt.Sprintf("at most %d runs are compared, not %d", mostCurves, len(look.runs))}
	}
	runs, err := s.find(r.Context(), look.runs)
	if err != nil {
		return err
	}
	look.runs = nil
	for _, run := range runs {
		look.runs = append(look.runs, run.ID)
	}
	p := comparePage{Runs: runs, All: query.Get("all") == "1", Difference: len(runs) == 2, Look: look,
		Smooth: query.Get("smooth"), From: query.Get("from"), To: query.Get("to"), FewRuns: len(runs) < 2}
	if p.FewRuns {
		s.render(w, http.StatusOK, "compare", p)
		return nil
	}
	p.Params, p.Metrics, p.Hidden = compared(runs, p.All)
	other := maps.Clone(query)
	other.Del("all")
	if !p.All {
		other.Set("all", "1")
	}
	p.Other = "/compare?" + other.Encode()
	p.CSV = "/compare.csv?" + url.Values{"run": look.runs}.Encode()
	all := tracker.RunInfo{Metrics: map[string]float64{}}
	for _, run := range runs {
		maps.Copy(all.Metrics, run.Metrics)
	}
	p.ChosenCurves = chosenCurves(all, query["curve"])
	for _, key := range p.ChosenCurves {
		p.Curves = append(p.Curves, look.picture(key))
	}
	for _, key := range slices.Sorted(maps.Keys(all.Metrics)) {
		p.Keys = append(p.Keys, choice{Column: key, Label: key, Chosen: slices.Contains(p.ChosenCurves, key)})
	}
	s.render(w, http.StatusOK, "compare", p)
	return nil
}

// compared lays the params and newest metrics of runs side by side. Without all, params that agree are left out, and so
// are metrics below a cut or category, ends of intervals and what the machine measured of itself.
func compared(runs []tracker.RunInfo, all bool) (params, metrics []comparedRow, hidden int) {
	cut := comparedRow{Key: "cut of the test/ metrics of sets"} // runs need not have the same one
	for _, run := range runs {
		cut.Cells = append(cut.Cells, run.Tags["criterion"])
	}
	if slices.ContainsFunc(cut.Cells, func(text string) bool { return text != "" }) {
		params = append(params, cut)
	}
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params }) {
		row := comparedRow{Key: key}
		same := true
		for _, run := range runs {
			row.Cells = append(row.Cells, run.Params[key])
			same = same && row.Cells[0] == run.Params[key]
		}
		if same && !all {
			hidden++
			continue
		}
		params = append(params, row)
	}
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics }) {
		if !all && (strings.Count(key, "/") > 1 || strings.HasPrefix(key, "system/") || strings.HasSuffix(key, "_lo") ||
			strings.HasSuffix(key, "_hi")) {
			hidden++
			continue
		}
		row := comparedRow{Key: key}
		for _, run := range runs {
			text := ""
			if x, ok := run.Metrics[key]; ok {
				text = number(x)
			}
			row.Cells = append(row.Cells, text)
		}
		if len(runs) == 2 && row.Cells[0] != "" && row.Cells[1] != "" {
			row.Difference = fmt.Sprintf("%+.4g", runs[1].Metrics[key]-runs[0].Metrics[key])
		}
		metrics = append(metrics, row)
	}
	return params, metrics, hidden
}

// keysOf are the keys that any of the runs has, in order.
func keysOf[V any](runs []tracker.RunInfo, of func(tracker.RunInfo) map[string]V) []string {
	all := map[string]bool{}
	for _, run := range runs {
		for key := range of(run) {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// compareCSV writes every param and newest metric of the runs, one run per row, with exact numbers.
func (s *site) compareCSV(w http.ResponseWriter, r *http.Request) error {
	refs := r.URL.Query()["run"]
	if len(refs) > mostCurves {
		return badRequestError{fmt.Sprintf("at most %d runs are compared, not %d", mostCurves, len(refs))}
	}
	runs, err := s.find(r.Context(), refs)
	if err != nil {
		return err
	}
	params := keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params })
	metrics := keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics })
	rows := [][]string{slices.Concat([]string{"run_id", "name", "status"}, params, metrics)}
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

// title names a run in the head of a column.
func title(run tracker.RunInfo) string { return plain(cmp.Or(run.Name, run.ID)) }

// side is what the template of a table with a column per run needs.
type side struct {
	Runs       []tracker.RunInfo
	Kind       string
	Rows       []comparedRow
	Difference bool
}

func newSide(p comparePage, kind string, rows []comparedRow, difference bool) side {
	return side{p.Runs, kind, rows, difference}
}
