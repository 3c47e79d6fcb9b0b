package main

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

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs", "Logged runs: list, show, compare, export, import, delete", a.runsListCommand(), a.runsShowCommand(), a.runsCompareCommand(),
		a.runsExportCommand(), a.runsImportCommand(), a.runsDeleteCommand(), a.runsRestoreCommand(), a.runsSweepCommand())
}

// listedMetrics stand in `runs ls`.
var listedMetrics = []string{"loss", "test/head_f1", "test/tail_f1", "test/mrr"}

// statuses are the values of --status.
var statuses = []string{"running", "finished", "failed", "killed"}

func (a *app) runsListCommand() *cobra.Command {
	var format, experiment, status string
	var limit int
	var deleted bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List runs, newest first", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			if limit < 0 {
				return usagef("--limit must not be negative")
			}
			if status != "" && !slices.Contains(statuses, strings.ToLower(status)) {
				return usagef("--status must be one of %s, not %q", strings.Join(statuses, ", "), status)
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				runs, err := t.Runs(cmd.Context(), tracker.Filter{Experiment: experiment, Status: tracker.Status(strings.ToUpper(status)),
					Deleted: deleted, Limit: limit})
				if err != nil {
					return err
				}
				g := runGrid(runs, format)
				if format == "text" && len(runs) == 0 {
					g.Notes = []string{noRuns(experiment, status, deleted)}
				}
				return g.Write(a.stdout, format)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&experiment, "experiment", "", "only runs of this experiment")
	f.StringVar(&status, "status", "", "only runs with this status: "+strings.Join(statuses, ", "))
	f.IntVar(&limit, "limit", 0, "at most so many runs; 0 lists all")
	f.BoolVar(&deleted, "deleted", false, "list deleted runs instead")
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}

// runGrid lists runs: short for people, with full ids and plain numbers for machines.
func runGrid(runs []tracker.RunInfo, format string) *experiments.Grid {
	exact := format == "csv" || format == "json"
	g := &experiments.Grid{Columns: []experiments.Column{{Key: "run_id", Heading: "run"}, {Key: "name"}, {Key: "experiment"}, {Key: "status"},
		{Key: "start", Heading: "started"}, {Key: "seconds", Heading: "time", Right: true}, {Key: "model"}, {Key: "variant"}, {Key: "seed", Right: true}}}
	for _, key := range listedMetrics {
		g.Columns = append(g.Columns, experiments.Column{Key: key, Heading: strings.ReplaceAll(strings.TrimPrefix(key, "test/"), "_", " "), Right: true})
	}
	records := make([]runRecord, 0, len(runs))
	for _, run := range runs {
		records = append(records, newRunRecord(run))
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

// noRuns is what an empty list says.
func noRuns(experiment, status string, deleted bool) string {
	var filters []string
	if experiment != "" {
		filters = append(filters, fmt.Sprintf("--experiment %q", experiment))
	}
	if status != "" {
		filters = append(filters, "--status "+strings.ToLower(status))
	}
	if deleted {
		filters = append(filters, "--deleted")
	}
	if len(filters) > 0 {
		return "no run matches " + strings.Join(filters, " ")
	}
	return fmt.Sprintf("no runs; `%s train` makes some", programName())
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

// runRecord is a run in JSON.
type runRecord struct {
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

func newRunRecord(run tracker.RunInfo) runRecord {
	optional := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	return runRecord{RunID: run.ID, Name: run.Name, Experiment: run.Experiment, Status: run.Status, Start: optional(run.Start),
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

func (a *app) runsShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "show RUN", Short: "Show everything that was logged with a run", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, []string{"text", "json", "csv"}); err != nil {
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				run, err := a.findRun(cmd.Context(), t, args[0])
				if err != nil {
					return err
				}
				switch format {
				case "json":
					return experiments.WriteJSON(a.stdout, newRunRecord(run))
				case "csv":
					return runEntries(run).Write(a.stdout, format)
				}
				return writeRun(a.stdout, run)
			})
		},
	}
	addFormatFlag(cmd, &format, []string{"text", "json", "csv"})
	return cmd
}

// runEntries is a run as rows of run id, kind, key and value.
func runEntries(run tracker.RunInfo) *experiments.Grid {
	g := &experiments.Grid{Columns: []experiments.Column{{Key: "run_id"}, {Key: "kind"}, {Key: "key"}, {Key: "value"}}}
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

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func writeRun(w io.Writer, run tracker.RunInfo) error {
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

func (a *app) runsCompareCommand() *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use: "compare RUN RUN...", Short: "Show runs side by side: params that differ, and metrics", Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				var runs []tracker.RunInfo
				for _, ref := range args {
					run, err := a.findRun(cmd.Context(), t, ref)
					if err != nil {
						return err
					}
					runs = append(runs, run)
				}
				return compareGrid(runs, format, all).Write(a.stdout, format)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also params that agree and metrics of every cut")
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}

// compareGrid lays runs out side by side for people, and one run per row for machines.
func compareGrid(runs []tracker.RunInfo, format string, all bool) *experiments.Grid {
	if format == "csv" || format == "json" {
		return compareRows(runs)
	}
	g := &experiments.Grid{Columns: []experiments.Column{{Key: "kind"}, {Key: "key"}}}
	for _, run := range runs {
		column := experiments.Column{Key: run.ID, Heading: run.ID[:min(8, len(run.ID))], Right: true}
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
func compareRows(runs []tracker.RunInfo) *experiments.Grid {
	g := &experiments.Grid{Columns: []experiments.Column{{Key: "run_id"}, {Key: "name"}, {Key: "status"}, {Key: "checkpoint_digest"}}}
	params := unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Params) })
	metrics := unionKeys(runs, func(r tracker.RunInfo) []string { return sortedKeys(r.Metrics) })
	for _, key := range slices.Concat(params, metrics) {
		g.Columns = append(g.Columns, experiments.Column{Key: key})
	}
	var records []runRecord
	for _, run := range runs {
		cells := []string{run.ID, run.Name, run.Status, run.Tags["checkpoint_digest"]}
		for _, key := range params {
			cells = append(cells, run.Params[key])
		}
		for _, key := range metrics {
			cells = append(cells, metricText(run.Metrics, key, true))
		}
		g.Rows = append(g.Rows, cells)
		records = append(records, newRunRecord(run))
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

func (a *app) runsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete RUN...", Short: "Mark runs as deleted; restore undoes it", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				for _, ref := range args {
					run, err := a.findRun(cmd.Context(), t, ref)
					if err != nil {
						return err
					}
					if err := t.Delete(cmd.Context(), run.ID); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "deleted %s (%s); `%s runs restore %s` undoes it\n", run.ID, run.Name, programName(), run.ID[:min(8, len(run.ID))])
				}
				return nil
			})
		},
	}
}

func (a *app) runsRestoreCommand() *cobra.Command {
	return &cobra.Command{
		Use: "restore RUN...", Short: "Restore deleted runs", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				for _, ref := range args {
					run, err := a.noteSameName(t.FindDeletedRun(cmd.Context(), ref))
					if err != nil {
						return err
					}
					if err := t.Restore(cmd.Context(), run.ID); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "restored %s (%s)\n", run.ID, run.Name)
				}
				return nil
			})
		},
	}
}

func (a *app) runsSweepCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sweep-stale", Short: "Mark runs as failed whose program died", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				swept, err := t.SweepStale(cmd.Context())
				if err != nil {
					return err
				}
				for _, id := range swept {
					fmt.Fprintln(a.stdout, id)
				}
				fmt.Fprintf(a.stderr, "%s marked as failed\n", countText(len(swept), "run"))
				return nil
			})
		},
	}
}
