package experiments

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// listedMetrics stand in `runs ls`.
var listedMetrics = []string{"loss", "test/head_f1", "test/tail_f1", "test/mrr"}

// RunGrid lists runs for a format: short for people, with full ids and plain numbers in CSV and JSON.
func RunGrid(runs []tracker.RunInfo, format string) *Grid {
	exact := format == "csv" || format == "json"
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "name"}, {Key: "experiment"}, {Key: "status"},
		{Key: "start", Heading: "started"}, {Key: "seconds", Heading: "time", Right: true}, {Key: "model"}, {Key: "variant"}, {Key: "seed", Right: true}}}
	for _, key := range listedMetrics {
		g.Columns = append(g.Columns, Column{Key: key, Heading: strings.ReplaceAll(strings.TrimPrefix(key, "test/"), "_", " "), Right: true})
	}
	records := make([]RunRecord, 0, len(runs))
	for _, run := range runs {
		records = append(records, NewRunRecord(run))
		id, start, took := run.ID[:min(8, len(run.ID))], "", ""
		if exact {
			id = run.ID
		}
		if !run.Start.IsZero() {
			start = run.Start.Local().Format("2006-01-02 15:04")
			if exact {
				start = run.Start.UTC().Format(time.RFC3339Nano)
			}
		}
		if !run.Start.IsZero() && !run.End.IsZero() {
			took = run.End.Sub(run.Start).Round(time.Second).String()
			if exact {
				took = strconv.FormatFloat(run.End.Sub(run.Start).Seconds(), 'f', 3, 64)
			}
		}
		cells := []string{id, run.Name, run.Experiment, run.Status, start, took, run.Params["model"], run.Params["variant"], run.Params["seed"]}
		for _, key := range listedMetrics {
			cells = append(cells, metricText(run.Metrics, key, exact))
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Records = records
	return g
}

func metricText(metrics map[string]float64, key string, exact bool) string {
	value, ok := metrics[key]
	switch {
	case !ok:
		return ""
	case exact:
		return strconv.FormatFloat(value, 'g', -1, 64)
	default:
		return strconv.FormatFloat(value, 'g', 5, 64)
	}
}

// RunRecord is a run in JSON.
type RunRecord struct {
	RunID      string            `json:"run_id"`
	Name       string            `json:"name"`
	Experiment string            `json:"experiment"`
	Status     string            `json:"status"`
	Start      *time.Time        `json:"start"`
	End        *time.Time        `json:"end"`
	Artifacts  string            `json:"artifact_uri"`
	Digest     string            `json:"checkpoint_digest,omitempty"`
	Params     map[string]string `json:"params"`
	Metrics    jsonMetrics       `json:"metrics"`
	Tags       map[string]string `json:"tags"`
}

// NewRunRecord is a stored run as a record.
func NewRunRecord(run tracker.RunInfo) RunRecord {
	optional := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	return RunRecord{RunID: run.ID, Name: run.Name, Experiment: run.Experiment, Status: run.Status, Start: optional(run.Start),
		End: optional(run.End), Artifacts: run.ArtifactURI, Digest: run.Tags["checkpoint_digest"], Params: run.Params, Metrics: run.Metrics, Tags: run.Tags}
}

// jsonMetrics writes numbers that JSON cannot say as null.
type jsonMetrics map[string]float64

// MarshalJSON writes the metrics by key in order.
func (m jsonMetrics) MarshalJSON() ([]byte, error) {
	plain := make(map[string]any, len(m))
	for key, value := range m {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			plain[key] = nil
		} else {
			plain[key] = value
		}
	}
	return json.Marshal(plain)
}

// RunEntries is a run as rows of run id, kind, key and value.
func RunEntries(run tracker.RunInfo) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "kind"}, {Key: "key"}, {Key: "value"}}}
	for _, key := range sortedKeys(run.Params) {
		g.Rows = append(g.Rows, []string{run.ID, "param", key, run.Params[key]})
	}
	for _, key := range sortedKeys(run.Metrics) {
		g.Rows = append(g.Rows, []string{run.ID, "metric", key, metricText(run.Metrics, key, true)})
	}
	for _, key := range sortedKeys(run.Tags) {
		g.Rows = append(g.Rows, []string{run.ID, "tag", key, run.Tags[key]})
	}
	return g
}

// WriteRun writes everything that was logged with a run, for people.
func WriteRun(w io.Writer, run tracker.RunInfo) error {
	var b strings.Builder
	entry := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-22s %s\n", key, value)
		}
	}
	fmt.Fprintf(&b, "run %s\n", run.ID)
	entry("name", run.Name)
	entry("experiment", run.Experiment)
	entry("status", run.Status)
	if !run.Start.IsZero() {
		entry("started", run.Start.Local().Format("2006-01-02 15:04:05"))
	}
	if !run.End.IsZero() {
		entry("took", run.End.Sub(run.Start).Round(time.Millisecond).String())
	}
	entry("checkpoint digest", run.Tags["checkpoint_digest"])
	entry("artifacts", run.ArtifactURI)
	b.WriteString("\nparams\n")
	for _, key := range sortedKeys(run.Params) {
		entry(key, run.Params[key])
	}
	b.WriteString("\ntags\n")
	for _, key := range sortedKeys(run.Tags) {
		entry(key, run.Tags[key])
	}
	b.WriteString("\nmetrics (newest value)\n")
	// Cuts have many metrics of the same names: one line per prefix and cut reads better than hundreds.
	cuts := map[string][]string{}
	for _, key := range sortedKeys(run.Metrics) {
		prefix := ""
		if i := strings.LastIndexByte(key, '/'); i >= 0 {
			prefix = key[:i]
		}
		cuts[prefix] = append(cuts[prefix], key)
	}
	prefixes := sortedKeys(cuts)
	slices.SortStableFunc(prefixes, func(x, y string) int { return cmp.Compare(strings.Count(x, "/"), strings.Count(y, "/")) })
	hidden := 0
	for _, prefix := range prefixes {
		if strings.Count(prefix, "/") > 0 {
			hidden += len(cuts[prefix])
			continue
		}
		for _, key := range cuts[prefix] {
			entry(key, metricText(run.Metrics, key, false))
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "  ... and %d of further cuts and categories; --format json has all\n", hidden)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CompareGrid lays runs out side by side for people, and one run per row in CSV and JSON. Of the params those that differ
// are shown, and of the metrics those of the primary cut; all shows everything.
func CompareGrid(runs []tracker.RunInfo, format string, all bool) *Grid {
	if format == "csv" || format == "json" {
		return compareRows(runs)
	}
	g := &Grid{Columns: []Column{{Key: "kind"}, {Key: "key"}}}
	for _, run := range runs {
		column := Column{Key: run.ID, Heading: run.ID[:min(8, len(run.ID))], Right: true}
		g.Columns = append(g.Columns, column)
	}
	add := func(kind, key string, differing bool, value func(tracker.RunInfo) string) {
		cells := []string{kind, key}
		for _, run := range runs {
			cells = append(cells, value(run))
		}
		if differing && len(slices.Compact(slices.Clone(cells[2:]))) == 1 {
			return
		}
		if n := len(g.Rows); n > 0 && g.Rows[n-1][0] != kind {
			g.Rules = append(g.Rules, n)
		}
		g.Rows = append(g.Rows, cells)
	}
	add("run", "name", false, func(r tracker.RunInfo) string { return r.Name })
	add("run", "status", false, func(r tracker.RunInfo) string { return string(r.Status) })
	for _, key := range unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Params) }) {
		add("param", key, !all, func(r tracker.RunInfo) string { return shortDigest(r.Params[key]) })
	}
	add("tag", "checkpoint_digest", false, func(r tracker.RunInfo) string {
		return shortDigest(r.Tags["checkpoint_digest"])
	})
	for _, key := range unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Metrics) }) {
		if !all && (strings.Count(key, "/") > 1 || strings.HasSuffix(key, "_lo") || strings.HasSuffix(key, "_hi")) {
			continue
		}
		add("metric", key, false, func(r tracker.RunInfo) string { return metricText(r.Metrics, key, false) })
	}
	return g
}

// compareRows has one row per run, with its id first, and a column for everything that any of them logged.
func compareRows(runs []tracker.RunInfo) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "name"}, {Key: "status"}, {Key: "checkpoint_digest"}}}
	params := unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Params) })
	metrics := unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Metrics) })
	for _, key := range slices.Concat(params, metrics) {
		g.Columns = append(g.Columns, Column{Key: key})
	}
	var records []RunRecord
	for _, run := range runs {
		cells := []string{run.ID, run.Name, run.Status, run.Tags["checkpoint_digest"]}
		for _, key := range params {
			cells = append(cells, run.Params[key])
		}
		for _, key := range metrics {
			cells = append(cells, metricText(run.Metrics, key, true))
		}
		g.Rows = append(g.Rows, cells)
		records = append(records, NewRunRecord(run))
	}
	g.Records = records
	return g
}

// unionKeys are the keys that any of the runs has, in order.
func unionKeys(runs []tracker.RunInfo, of func(tracker.RunInfo) []string) []string {
	seen := map[string]bool{}
	for _, run := range runs {
		for _, key := range of(run) {
			seen[key] = true
		}
	}
	return sortedKeys(seen)
}

// shortDigest cuts a digest to what tells two of them apart; other texts stay whole.
func shortDigest(text string) string {
	if len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" {
		return text[:12]
	}
	return text
}
