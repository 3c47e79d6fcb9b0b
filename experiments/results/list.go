package results

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// listed are the numbers in a list of runs.
var listed = []struct {
	key, heading string
	value        func(Run) *float64
}{
	{"loss", "loss", func(r Run) *float64 { return r.Loss }},
	{"test/head_f1", "head f1", primary(HeadF1)},
	{"test/tail_f1", "tail f1", primary(TailF1)},
	{"test/mrr", "mrr", primary(MRR)},
}

// primary is a number of the final evaluation's primary cut.
func primary(m Metric) func(Run) *float64 {
	return func(r Run) *float64 {
		n, ok := r.Primary[m]
		if !ok {
			return nil
		}
		return &n.Value
	}
}

// RunGrid lists runs for a format: short for people, with full ids and plain numbers in CSV and JSON.
func RunGrid(runs []Run, format string) *Grid {
	exact := format == "csv" || format == "json"
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "name"},
		{Key: "experiment", LeaveOut: 7}, {Key: "status"}, {Key: "start", Heading: "started", LeaveOut: 1},
		{Key: "seconds", Heading: "time", Right: true, LeaveOut: 2}, {Key: "model", LeaveOut: 5},
		{Key: "variant", LeaveOut: 6}, {Key: "seed", Right: true, LeaveOut: 3}}}
	for _, c := range listed {
		column := Column{Key: c.key, Heading: c.heading, Right: true}
		if c.key == "loss" {
			column.LeaveOut = 4
		}
		g.Columns = append(g.Columns, column)
	}
	records := make([]RunRecord, 0, len(runs))
	for _, run := range runs {
		records = append(records, NewRunRecord(run))
		s := run.Stored
		id, state := run.ShortID(), run.State
		start, took := s.Start.Local().Format("2006-01-02 15:04"), s.End.Sub(s.Start).Round(time.Second).String()
		if exact {
			id, state, start = s.ID, s.Status, timeText(s.Start)
			took = strconv.FormatFloat(s.End.Sub(s.Start).Seconds(), 'f', 3, 64)
		}
		if s.Start.IsZero() {
			start = ""
		}
		if s.Start.IsZero() || s.End.IsZero() {
			took = ""
		}
		cells := []string{id, s.Name, s.Experiment, state, start, took, run.Model, run.Variant, run.Seed}
		for _, c := range listed {
			cells = append(cells, numberText(c.value(run), exact))
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Records = records
	g.Notes = runWarnings(runs)
	return g
}

// numberText is a number for people with five digits, or exact; "" if there is none.
func numberText(x *float64, exact bool) string {
	switch {
	case x == nil:
		return ""
	case exact:
		return formatFloat(*x)
	default:
		return strconv.FormatFloat(*x, 'g', 5, 64)
	}
}

// formatFloat writes the shortest text that is read back to the same number.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// stored is the newest value of any logged metric, nil if there is none.
func (r Run) stored(key string) *float64 {
	x, ok := r.Stored.Metrics[key]
	if !ok {
		return nil
	}
	return &x
}

// RunRecord is a run in JSON.
type RunRecord struct {
	RunID      string                      `json:"run_id"`
	Name       string                      `json:"name"`
	Experiment string                      `json:"experiment"`
	Status     string                      `json:"status"`
	Start      *time.Time                  `json:"start"`
	End        *time.Time                  `json:"end"`
	Artifacts  string                      `json:"artifact_uri"`
	Digest     string                      `json:"checkpoint_digest,omitempty"`
	Warnings   []string                    `json:"warnings,omitempty"`
	Params     map[string]string           `json:"params"`
	Metrics    map[string]jsonvalue.Number `json:"metrics"`
	Tags       map[string]string           `json:"tags"`
}

// NewRunRecord is a run as a record.
func NewRunRecord(run Run) RunRecord {
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	s := run.Stored
	return RunRecord{RunID: s.ID, Name: s.Name, Experiment: s.Experiment, Status: s.Status, Start: known(s.Start),
		End:       known(s.End),
		Artifacts: s.ArtifactURI, Digest: run.Checkpoint, Warnings: run.Warnings, Params: s.Params,
		Metrics: jsonvalue.Numbers(s.Metrics),
		Tags:    s.Tags}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
