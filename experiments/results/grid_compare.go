package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
)

// Detail is how much of a run people see.
type Detail int

// The details.
const (
	Headlines  Detail = iota // the params and metrics that matter most
	PrimaryCut               // every param, and the metrics of the primary cut as a whole
	Everything
)

// headlineMetrics are the test metrics that people see first, after the loss.
var headlineMetrics = []Metric{HeadF1, TailF1, HeadRR, TailRR, NNF1, HeadNovelF1, TailNovelF1, HeadSize, TailSize, MRR,
	Hits1, Hits3, Hits10}

// IsHeadline reports whether a metric is one of those that people see first.
func IsHeadline(key string) bool {
	return key == "loss" || slices.ContainsFunc(headlineMetrics, func(m Metric) bool {
		return key == eval.Key{Split: "test", Metric: m.String()}.String()
	})
}

// CompareGrid returns runs side by side for people, and one run per row with everything in CSV and JSON. For people it
// has the params that differ (with detail Everything, all params), the metrics of the detail, and for two runs the
// second one's numbers minus the first one's.
func CompareGrid(runs []Run, format string, detail Detail) *Grid {
	if format == "csv" || format == "json" {
		return compareRows(runs)
	}
	runs, cuts := comparedAtOneCut(runs)
	g := &Grid{Columns: []Column{{Key: "kind", LeaveOut: 1}, {Key: "key"}}}
	for _, run := range runs {
		g.Columns = append(g.Columns, Column{Key: run.Stored.ID, Heading: run.ShortID(), Right: true})
	}
	if len(runs) == 2 {
		g.Columns = append(g.Columns, Column{Key: "difference", Right: true})
	}
	add := func(kind, key string, differing bool, value func(Run) string) {
		cells := []string{kind, key}
		for _, run := range runs {
			cells = append(cells, value(run))
		}
		if differing && len(slices.Compact(slices.Clone(cells[2:]))) == 1 {
			return
		}
		if len(runs) == 2 {
			cells = append(cells, lessFirst(kind, runs[0].stored(key), runs[1].stored(key)))
		}
		if n := len(g.Rows); n > 0 && g.Rows[n-1][0] != kind {
			g.Rules = append(g.Rules, n)
		}
		g.Rows = append(g.Rows, cells)
	}
	add("run", "name", false, func(r Run) string { return r.Stored.Name })
	add("run", "status", false, func(r Run) string { return r.State })
	for _, key := range paramKeys(runs) {
		if detail == Headlines && key == config.ParamHash {
			continue
		}
		add("param", key, detail != Everything, func(r Run) string { return shortDigest(r.Stored.Params[key]) })
	}
	add("tag", "checkpoint_digest", false, func(r Run) string { return shortDigest(r.Checkpoint) })
	hidden := 0
	for _, key := range metricKeys(runs) {
		k, ok := eval.ParseKey(withoutCut(key))
		switch {
		case detail == Headlines && !IsHeadline(withoutCut(key)), detail == PrimaryCut && ok &&
			(k.End != eval.Value || ofFurtherCut(key)):
			hidden++
		default:
			add("metric", key, false, func(r Run) string { return numberText(r.stored(key), false) })
		}
	}
	g.Notes = append(runWarnings(runs), cuts...)
	if detail == Headlines && hidden > 0 {
		g.Notes = append(g.Notes, note(fmt.Sprintf("%d more metrics are logged.", hidden),
			hint.Hint{Action: hint.ShowFull}))
	}
	return g
}

// lessFirst returns the difference of a metric of two runs, "" if one of them lacks it.
func lessFirst(kind string, first, second *float64) string {
	if kind != "metric" || first == nil || second == nil {
		return ""
	}
	return fmt.Sprintf("%+.4g", *second-*first)
}

// compareRows returns one row per run, with its id first, and a column for everything that any of them logged.
func compareRows(runs []Run) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "name"}, {Key: "status"}, {Key: "checkpoint_digest"}}}
	compared, _ := comparedAtOneCut(runs)
	params, metrics := paramKeys(runs), metricKeys(compared)
	for _, key := range slices.Concat(params, metrics) {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	var records []RunRecord
	for i, run := range runs {
		cells := []string{run.Stored.ID, run.Stored.Name, run.Stored.Status, run.Checkpoint}
		for _, key := range params {
			cells = append(cells, run.Stored.Params[key])
		}
		for _, key := range metrics {
			cells = append(cells, numberText(compared[i].stored(key), true))
		}
		g.Rows = append(g.Rows, cells)
		records = append(records, NewRunRecord(run))
	}
	g.Records = records
	return g
}

// paramKeys returns the params that any of the runs has, in order.
func paramKeys(runs []Run) []string {
	return union(runs, func(r Run) []string { return sortedKeys(r.Stored.Params) })
}

// metricKeys returns the metrics that any of the runs has, in order.
func metricKeys(runs []Run) []string {
	return union(runs, func(r Run) []string { return sortedKeys(r.Stored.Metrics) })
}

func union(runs []Run, of func(Run) []string) []string {
	var all []string
	for _, run := range runs {
		all = append(all, of(run)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shortDigest returns the beginning of a digest, and other texts whole.
func shortDigest(text string) string {
	if len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" {
		return text[:12]
	}
	return text
}
