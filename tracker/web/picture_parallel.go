package web

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// Limits of parallel coordinates: axes of a picture, axes that are chosen by default, texts on an axis, and highlighted
// runs.
const (
	maxAxes       = 12
	maxParamAxes  = 5
	maxMetricAxes = 3
	maxTexts      = 20
	usualMarks    = 5 // of more than maxCurves runs, if the address marks none
)

// usualAxes are the last axes, if any run has them. Otherwise the first metrics are.
var usualAxes = []string{"loss", "test/head_f1", "test/tail_f1", "test/mrr"}

// axisOf returns a param or metric of runs as an axis of numbers, or of texts if the param is not always a number.
func axisOf(runs []tracker.RunInfo, column string) (chart.Axis, error) {
	kind, key, _ := strings.Cut(column, "/")
	a := chart.Axis{Name: key}
	if kind == "metric" {
		for _, run := range runs {
			x, ok := run.Metrics[key]
			if !ok {
				x = math.NaN()
			}
			a.Values = append(a.Values, x)
		}
		return a, nil
	}
	if kind != "param" {
		return a, badRequestError{"an axis is param/KEY or metric/KEY, not " + column}
	}
	var texts []string
	numbers := true
	for _, run := range runs {
		text, ok := run.Params[key]
		x, err := strconv.ParseFloat(text, 64)
		if !ok {
			x = math.NaN()
		} else if numbers = numbers && err == nil; !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		a.Values = append(a.Values, x)
	}
	if numbers {
		return a, nil
	}
	if len(texts) > maxTexts {
		return a, badRequestError{fmt.Sprintf("param %s has %d texts; an axis shows %d", key, len(texts), maxTexts)}
	}
	slices.Sort(texts)
	for i, run := range runs {
		if text, ok := run.Params[key]; ok {
			a.Values[i] = float64(slices.Index(texts, text))
		}
	}
	for _, text := range texts {
		a.Labels = append(a.Labels, plain(text))
	}
	return a, nil
}

// axisChoices returns the params in which runs differ, and the metrics. The named ones are chosen, otherwise the params
// that distinguish the most runs and the usual metrics.
func axisChoices(runs []tracker.RunInfo, named []string) []choice {
	var list []choice
	var columns []string
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params }) {
		column := "param/" + key
		if agree(runs, key) {
			continue
		}
		if _, err := axisOf(runs, column); err != nil {
			continue
		}
		list, columns = append(list, choice{Column: column, Label: key}), append(columns, column)
	}
	telling := tellingParams(runs, columns, maxParamAxes)
	for i := range list {
		list[i].Chosen = len(named) == 0 && slices.Contains(telling, list[i].Column)
	}
	metrics := keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics })
	usual := slices.DeleteFunc(slices.Clone(metrics), func(key string) bool {
		return !slices.Contains(usualAxes, withoutCut(key))
	})
	if len(usual) == 0 { // runs of another program
		usual = slices.DeleteFunc(slices.Clone(metrics), func(key string) bool { return strings.HasPrefix(key, "system/") })
		usual = usual[:min(len(usual), maxMetricAxes)]
	}
	for _, key := range metrics {
		list = append(list, choice{Column: "metric/" + key, Label: key,
			Chosen: len(named) == 0 && slices.Contains(usual, key)})
	}
	for i := range list {
		list[i].Chosen = list[i].Chosen || slices.Contains(named, list[i].Column)
	}
	return list
}

// tellingParams returns the columns whose params distinguish the most runs, the best first.
func tellingParams(runs []tracker.RunInfo, columns []string, most int) []string {
	var sets []map[string]string
	for _, run := range runs {
		params := map[string]string{}
		for _, column := range columns {
			key, of := strings.CutPrefix(column, "param/")
			if value, has := run.Params[key]; of && has {
				params[key] = value
			}
		}
		sets = append(sets, params)
	}
	return prefixed("param/", distinguishing([][]map[string]string{sets}, nil, most))
}

// isIdentity reports whether a param identifies a config instead of describing it.
func isIdentity(key string) bool { return key == "config_hash" || key == "name" }

// agree reports whether all runs have the same value of a param.
func agree(runs []tracker.RunInfo, key string) bool {
	first, has := runs[0].Params[key]
	return !slices.ContainsFunc(runs, func(r tracker.RunInfo) bool {
		text, ok := r.Params[key]
		return text != first || ok != has
	})
}

// parallelPicture returns the chart of the chosen axes for the runs of the query, nil for fewer than two axes.
func parallelPicture(q url.Values, axes []choice) *picture {
	for _, a := range axes {
		if a.Chosen && len(q["axis"]) < maxAxes {
			q.Add("axis", a.Column)
		}
	}
	if len(q["axis"]) < 2 {
		return nil
	}
	p := newPicture("Parallel coordinates", "/parallel", q)
	return &p
}

// parallel sends parallel coordinates of some runs.
func (s *site) parallel(format string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		columns, refs := query["axis"], query["run"]
		if len(refs) > maxCompared || len(columns) < 2 || len(columns) > maxAxes {
			return badRequestError{fmt.Sprintf("parallel coordinates show 1 to %d runs over 2 to %d axes", maxCompared, maxAxes)}
		}
		var runs []tracker.RunInfo
		var err error
		if len(refs) == 0 { // those of a search
			runs, columns, err = s.drawnRuns(r.Context(), query)
		} else if runs, err = s.find(r.Context(), refs); err == nil {
			runs, columns, err = s.at(r.Context(), runs, columns)
		}
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			return badRequestError{"no run matches: parallel coordinates need at least one"}
		}
		at, err := readPlaces(query, runs)
		if err != nil {
			return err
		}
		var axes []chart.Axis
		for _, column := range columns {
			a, err := axisOf(runs, column)
			if err != nil {
				return err
			}
			axes = append(axes, a)
		}
		marked, caption := strong(runs, query["mark"])
		o := chart.Options{Title: "Parallel coordinates", Caption: caption}
		return sendChart(w, r, chart.ParallelAt(o, distinctNames(runs), at, marked, axes...), format, "parallel")
	}
}

// strong returns the places of the highlighted runs: the marked ones, or all if none is marked. Of more than can be
// distinguished it returns the first.
func strong(runs []tracker.RunInfo, ids []string) (marked []int, caption string) {
	for i, run := range runs {
		if slices.Contains(ids, run.ID) {
			marked = append(marked, i)
		}
	}
	switch {
	case len(marked) > chart.Places:
		return marked[:chart.Places], fmt.Sprintf("%d runs are highlighted; the first %d are drawn strong", len(marked),
			chart.Places)
	case len(marked) == 0 && len(runs) > chart.Places:
		for i := range usualMarks {
			marked = append(marked, i)
		}
		return marked, fmt.Sprintf("no run is highlighted; the first %d are drawn strong", usualMarks)
	}
	return marked, ""
}
