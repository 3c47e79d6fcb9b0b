package results

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
)

// listed are the numbers in a list of runs.
var listed = []struct {
	key, heading string
	value        func(r Run, numbers Numbers) *float64
}{
	{"loss", "loss", func(r Run, _ Numbers) *float64 { return r.Loss }},
	{"test/head_f1", "head f1", ofSets(HeadF1)},
	{"test/tail_f1", "tail f1", ofSets(TailF1)},
	{"test/mrr", "mrr", func(r Run, _ Numbers) *float64 { return ofSets(MRR)(r, r.Primary) }}, // numbers without a cut
}

// ofSets is a number of the final evaluation at the cut of the list.
func ofSets(m Metric) func(Run, Numbers) *float64 {
	return func(_ Run, numbers Numbers) *float64 {
		n, ok := numbers[m]
		if !ok {
			return nil
		}
		return &n.Value
	}
}

// RunGrid returns a list of runs for a format: short for people, with full ids and plain numbers in CSV and JSON.
// Numbers of sets are at the given cut. The caller chooses it by OneCut from all runs, of which these may be the first;
// "" is each run's own cut.
func RunGrid(runs []Run, format, cut string) *Grid {
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
	if exact {
		g.Columns = append(g.Columns, Column{Key: "cut"})
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
		numbers, name := run.numbersAt(cut)
		for _, c := range listed {
			x := c.value(run, numbers)
			text := numberText(x, exact)
			if x == nil && !exact && run.Evaluated() {
				text = "-"
			}
			cells = append(cells, text)
		}
		if exact {
			cells = append(cells, name)
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Records = records
	g.Notes = runWarnings(runs)
	return g
}

// numberText returns a number with five digits for people, or exactly; "" if there is none.
func numberText(x *float64, exact bool) string {
	switch {
	case x == nil:
		return ""
	case exact:
		return quantity.Exact(*x)
	default:
		return strconv.FormatFloat(*x, 'g', 5, 64)
	}
}

// stored returns the newest value of a logged metric, nil if there is none.
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

// NewRunRecord returns a run as a record.
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
