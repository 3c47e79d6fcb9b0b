package tracker

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker/internal/form"
)

const TagRunName = "mlflow.runName"

// MaxRows is the max number of results in an INSERT, and of points in a request: MLflow's limit.
const MaxRows = 1000

// MetricRow is a row of MLflow's table metrics.
type MetricRow struct {
	Key       string
	Value     float64
	IsNaN     bool
	Timestamp int64
	Step      int64
}

// Batch is a part of a spool, ready to be written.
type Batch struct {
	Metrics   []MetricRow
	Params    map[string]string
	Tags      map[string]string
	Relations []RelationResult
	Results   []EvaluationResult
	Inputs    []Dataset
	Files     []string // files to send to a tracking server or a bucket
	Status    Status   // status of the finish record; "" if the part has none
	End       int64    // Unix milliseconds of the finish
	Fresh     bool     // none of it is stored, as far as this program knows
	Again     bool     // all of it may be stored already, by another program
	last      int64    // latest time of any record
}

// makeBatch decodes lines of a spool. It counts damaged lines.
func makeBatch(lines []byte) (b Batch, damaged int) {
	b = Batch{Params: map[string]string{}, Tags: map[string]string{}}
	keys := map[string]string{} // each once
	for line := range bytes.Lines(lines) {
		text, err := whole(line[:len(line)-1])
		switch {
		case err != nil:
		case isMetrics(text): // nearly all entries
			err = b.addPoints(text, keys)
		default:
			var e entry
			if e, err = decodeText(text); err == nil {
				b.add(e)
			}
		}
		if err != nil {
			damaged++
		}
	}
	b.SortMetrics()
	return b, damaged
}

func (b *Batch) add(e entry) {
	b.last = max(b.last, e.Time)
	switch e.Kind {
	case "metric":
		b.addMetrics(e)
	case "param":
		maps.Copy(b.Params, e.Texts)
	case "tag":
		maps.Copy(b.Tags, e.Texts)
	case "relations":
		b.Relations = append(b.Relations, e.Relations...)
	case "results":
		b.addMetrics(e)
		for _, r := range e.Results {
			r.At = e.Time
			b.Results = append(b.Results, r)
		}
	case "inputs":
		b.Inputs = append(b.Inputs, e.Inputs...)
	case "files":
		b.Files = append(b.Files, e.Files...)
	case "finish":
		b.Status, b.End = e.Status, e.Time
	}
}

// addPoints adds a record that appendMetrics wrote, without allocating an entry and its map.
func (b *Batch) addPoints(text []byte, keys map[string]string) error {
	before := len(b.Metrics)
	at, _, err := eachMetric(text, func(at, step int64, key []byte, value float64) {
		name, ok := keys[string(key)]
		if !ok {
			name = string(key)
			keys[name] = name
		}
		v, isNaN := form.ToMLflow(value)
		b.Metrics = append(b.Metrics, MetricRow{name, v, isNaN, at, step})
	})
	if err != nil {
		b.Metrics = b.Metrics[:before]
		return err
	}
	b.last = max(b.last, at)
	return nil
}

// SortMetrics orders the rows roughly by the table's primary key, because PostgreSQL then stores them with less work.
// Ties keep the order of their log calls, by which newest chooses.
func (b *Batch) SortMetrics() {
	slices.SortStableFunc(b.Metrics, func(a, b MetricRow) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Timestamp, b.Timestamp), cmp.Compare(a.Step, b.Step))
	})
}

func (b *Batch) addMetrics(e entry) {
	for key, n := range e.Values {
		v, isNaN := form.ToMLflow(float64(n))
		b.Metrics = append(b.Metrics, MetricRow{key, v, isNaN, e.Time, e.Step})
	}
}

func ParamConflict(key, was, now string) error {
	return Errorf(CodeConflict, nil, "param %q of this run is %.100q and cannot become %.100q: params do not change",
		key, was, now)
}
