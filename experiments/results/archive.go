package results

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// ArchiveEnding is the end of an archive's file name.
const ArchiveEnding = ".jsonl.gz"

// Archive is a finished run outside a tracker: everything that was logged, without its artifacts.
type Archive struct {
	// Info has ID, Name, Experiment, Status, Start, End, Params and Tags. Its Metrics and Steps are derived from
	// Points.
	Info   tracker.RunInfo
	Points []tracker.MetricPoint // by step, time, key and value
	// Relations are the results per relation, by cut, relation and side. Runs of earlier versions have none.
	Relations []tracker.RelationResult
	// Results are those of evaluations, by split, step, cut, category and metric. Runs of earlier versions have none:
	// theirs are points.
	Results []tracker.EvaluationResult

	keys map[string]string // of the points, while a file is read
}

// localTags are tags about the machine and user of a run, or its import. An export leaves them out.
var localTags = []string{"host", answer.TagSource, "mlflow.user", "mlflow.source.name", tracker.TagImported}

// The formats of a file. A file has a newer format only if older programs could not read it, because they do not know
// results per relation or results of evaluations. A run without these is written as before, with the same bytes.
const (
	archiveFormat     = 1
	relationalFormat  = 2
	severalFormat     = 3 // runs one after the other, with or without results per relation
	evaluationsFormat = 4 // one run, with results of evaluations
	newestFormat      = 5 // runs one after the other, any of which may have results of evaluations
)

// isOfSeveral reports whether a file of the format has runs one after the other.
func isOfSeveral(format int) bool { return format == severalFormat || format == newestFormat }

// archiveRun is the first line of an archive's file.
type archiveRun struct {
	Kind       string            `json:"kind"` // "run"
	Format     int               `json:"format"`
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Experiment string            `json:"experiment"`
	Status     string            `json:"status"`
	Start      int64             `json:"start"` // Unix milliseconds
	End        int64             `json:"end"`
	Params     map[string]string `json:"params"`
	Tags       map[string]string `json:"tags"`
}

// archivePoint is a line with what was logged at one moment.
type archivePoint struct {
	Kind   string                     `json:"kind"` // "metrics"
	Step   int64                      `json:"step"`
	Time   int64                      `json:"time"` // Unix milliseconds
	Values map[string]jsonvalue.Exact `json:"values"`
}

// archiveRelation is a line with a result of one relation. These lines are the last ones.
type archiveRelation struct {
	Kind string `json:"kind"` // "relation"
	tracker.RelationResult
}

// ArchiveRun reads a finished run from the tracker.
func ArchiveRun(ctx context.Context, t *tracker.Tracker, info tracker.RunInfo) (*Archive, error) {
	if run := Read(info); !run.Finished() {
		return nil, fmt.Errorf("run %s is %s; only finished runs can be exported", run,
			cmp.Or(run.State, "without a status"))
	}
	if err := NeedResults(ctx, t, info); err != nil {
		return nil, err
	}
	points, err := t.Points(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(points, comparePoints)
	relations, err := t.Relations(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	results, err := t.Results(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	// A point may have a line of its own.
	if maximum := (longest.records - 1 - len(relations) - 2*len(results)) / 2; len(points) > maximum {
		return nil, fmt.Errorf("run %s has %d points; a file with its results per relation holds at most %d", Read(info),
			len(points), maximum)
	}
	info.Tags = maps.Clone(info.Tags)
	maps.DeleteFunc(info.Tags, func(key, _ string) bool { return slices.Contains(localTags, key) })
	return &Archive{Info: info, Points: points, Relations: relations, Results: results}, nil
}

// longestName bounds a run's name within a file name. File systems allow 255 bytes, and the file is first written under
// a longer name.
const longestName = 200

// FileName names the archive after its run: "fb15k-237-rotate-released-0123abcd.jsonl.gz".
func (a *Archive) FileName() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, a.Info.Name)
	name = strings.TrimLeft(name, ".")
	return name[:min(len(name), longestName)] + "-" + tracker.ShortID(a.Info.ID) + ArchiveEnding
}

// Write writes the archive: lines of JSON with sorted keys, compressed without a time. The same run gives the same
// bytes.
func (a *Archive) Write(w io.Writer) error {
	return writeArchives(w, a.format(), a)
}

// format returns the format of a file with this run alone.
func (a *Archive) format() int {
	switch {
	case len(a.Results) > 0:
		return evaluationsFormat
	case len(a.Relations) > 0:
		return relationalFormat
	}
	return archiveFormat
}

// writeArchives writes runs one after the other.
func writeArchives(w io.Writer, format int, list ...*Archive) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	line := json.NewEncoder(z)
	line.SetEscapeHTML(false)
	encode := func(v any) {
		if err == nil {
			err = line.Encode(v)
		}
	}
	for _, a := range list {
		i := a.Info
		encode(archiveRun{Kind: "run", Format: format, ID: i.ID, Name: i.Name, Experiment: i.Experiment,
			Status: i.Status, Start: i.Start.UnixMilli(), End: i.End.UnixMilli(), Params: i.Params, Tags: i.Tags})
		for _, p := range a.lines() {
			encode(p)
		}
		for _, r := range a.evaluations() {
			encode(r)
		}
		for _, r := range a.Relations {
			encode(archiveRelation{"relation", r})
		}
	}
	return errors.Join(err, z.Close())
}

// lines puts the points of one moment on one line. A key with a second value at that moment starts another line.
func (a *Archive) lines() []archivePoint {
	var lines []archivePoint
	for _, p := range a.Points {
		step, at := p.Step, p.Time.UnixMilli()
		into := -1
		for i := len(lines) - 1; i >= 0 && lines[i].Step == step && lines[i].Time == at; i-- {
			if _, taken := lines[i].Values[p.Key]; !taken {
				into = i
			}
		}
		if into < 0 {
			into = len(lines)
			lines = append(lines, archivePoint{Kind: "metrics", Step: step, Time: at,
				Values: map[string]jsonvalue.Exact{}})
		}
		lines[into].Values[p.Key] = jsonvalue.Exact(p.Value)
	}
	return lines
}

// Bytes returns what Write writes.
func (a *Archive) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := a.Write(&b)
	return b.Bytes(), err
}

// comparePoints orders points by step, time, key and value. NaN comes last, as in Postgres.
func comparePoints(a, b tracker.MetricPoint) int {
	nan := func(x float64) int {
		if math.IsNaN(x) {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.Step, b.Step), a.Time.Compare(b.Time), strings.Compare(a.Key, b.Key),
		nan(a.Value)-nan(b.Value), cmp.Compare(a.Value, b.Value))
}

// latest fills in the latest value of each key: the last in order of step, time and value.
func (a *Archive) latest() {
	a.Info.Metrics, a.Info.Steps = map[string]float64{}, map[string]int64{}
	for _, p := range a.Points {
		a.Info.Metrics[p.Key], a.Info.Steps[p.Key] = p.Value, p.Step
	}
	a.latestResults()
}

// difference describes the first difference between two archives of a run, "" if they agree. inA and inB name the
// archives.
func (a *Archive) difference(b *Archive, inA, inB string) string {
	tell := func(what, x, y string) string {
		return fmt.Sprintf("%s is %s in %s and %s in %s", what, x, inA, y, inB)
	}
	for _, c := range []struct{ what, x, y string }{
		{"its name", a.Info.Name, b.Info.Name},
		{"its experiment", a.Info.Experiment, b.Info.Experiment},
		{"its status", a.Info.Status, b.Info.Status},
		{"its start", timeText(a.Info.Start), timeText(b.Info.Start)},
		{"its end", timeText(a.Info.End), timeText(b.Info.End)},
	} {
		if c.x != c.y {
			return tell(c.what, c.x, c.y)
		}
	}
	for _, c := range []struct {
		kind string
		x, y map[string]string
	}{{"param", a.Info.Params, b.Info.Params}, {"tag", a.Info.Tags, b.Info.Tags}} {
		union := maps.Clone(c.x)
		if union == nil {
			union = map[string]string{}
		}
		maps.Copy(union, c.y)
		for _, key := range sortedKeys(union) {
			x, inX := c.x[key]
			y, inY := c.y[key]
			if x != y || inX != inY {
				return tell(c.kind+" "+key, textOrMissing(x, inX), textOrMissing(y, inY))
			}
		}
	}
	for i := range max(len(a.Points), len(b.Points)) {
		switch {
		case i >= len(a.Points):
			return fmt.Sprintf("%s is only in %s", pointText(b.Points[i]), inB)
		case i >= len(b.Points):
			return fmt.Sprintf("%s is only in %s", pointText(a.Points[i]), inA)
		case comparePoints(a.Points[i], b.Points[i]) != 0:
			return fmt.Sprintf("%s is in %s and %s in %s", pointText(a.Points[i]), inA, pointText(b.Points[i]), inB)
		}
	}
	if what := resultDifference(a.Results, b.Results, inA, inB); what != "" {
		return what
	}
	return relationDifference(a.Relations, b.Relations, inA, inB)
}

func textOrMissing(value string, there bool) string {
	if !there {
		return "missing"
	}
	return fmt.Sprintf("%.100q", value)
}

func pointText(p tracker.MetricPoint) string {
	return fmt.Sprintf("%s = %s at step %d (%s)", p.Key, quantity.Exact(p.Value), p.Step, timeText(p.Time))
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
