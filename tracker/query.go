package tracker

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Runs returns the runs that pass the filter, newest first.
func (t *Tracker) Runs(ctx context.Context, f Filter) (list []RunInfo, err error) {
	err = t.retry(ctx, "reading runs", func(ctx context.Context) (err error) {
		list, err = t.backend.Runs(ctx, f)
		return err
	})
	return list, err
}

// Points returns every value of every metric of a run, by step, time, key (bytewise) and value. Results has those of
// evaluations.
func (t *Tracker) Points(ctx context.Context, runID string) ([]MetricPoint, error) {
	return t.points(ctx, runID, nil)
}

// History returns all values of one metric or result of a run, by step and time.
func (t *Tracker) History(ctx context.Context, runID, key string) ([]Point, error) {
	all, err := t.points(ctx, runID, &key)
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(all))
	for i, p := range all {
		points[i] = p.Point
	}
	if _, _, ok := ParseResultKey(key); !ok {
		return points, nil
	}
	list, err := t.results(ctx, runID, &key)
	if ErrorCode(err) == CodeNotFound {
		err = nil // the points are all there is
	}
	return WithResults(points, list, key), err
}

// points returns the values of one metric, or of all for nil.
func (t *Tracker) points(ctx context.Context, runID string, key *string) (points []MetricPoint, err error) {
	err = t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) (err error) {
		points, err = t.backend.Points(ctx, runID, key)
		return err
	})
	return points, err
}

// Keys returns the names of a run's metrics and results, sorted bytewise.
func (t *Tracker) Keys(ctx context.Context, runID string) ([]string, error) {
	var keys []string
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) (err error) {
		keys, err = t.backend.Keys(ctx, runID)
		return err
	})
	if err != nil {
		return nil, err
	}
	results, err := t.Results(ctx, runID)
	for _, r := range results {
		for key := range r.Numbers() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// Relations returns a run's results per relation, by cut, relation (bytewise) and side. Runs of earlier versions have
// none.
func (t *Tracker) Relations(ctx context.Context, runID string) ([]RelationResult, error) {
	var results []RelationResult
	err := t.retry(ctx, "reading the results per relation of run "+runID, func(ctx context.Context) (err error) {
		results, err = t.backend.Relations(ctx, runID)
		return err
	})
	return results, err
}

// Results returns the results of a run's evaluations, by split, step, cut, category and metric. Runs of earlier
// versions have none: theirs are metrics.
func (t *Tracker) Results(ctx context.Context, runID string) ([]EvaluationResult, error) {
	return t.results(ctx, runID, nil)
}

// results returns the results of one key, and may be others, or all for nil.
func (t *Tracker) results(ctx context.Context, runID string, key *string) (list []EvaluationResult, err error) {
	err = t.retry(ctx, "reading the results of run "+runID, func(ctx context.Context) (err error) {
		list, err = t.backend.Results(ctx, runID, key)
		return err
	})
	return list, err
}

// WithResults adds the results of a key to the points of a metric, at the steps that these lack: a run of an earlier
// version may have been resumed.
func WithResults(points []Point, list []EvaluationResult, key string) []Point {
	name, part, ok := ParseResultKey(key)
	if !ok {
		return points
	}
	there := make(map[int64]bool, len(points))
	for _, p := range points {
		there[p.Step] = true
	}
	for _, r := range list {
		if v, ok := r.number(part); ok && r.name() == name && !there[r.Step] {
			points = append(points, Point{r.Step, time.UnixMilli(r.At).UTC(), v})
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Step, b.Step) })
	return points
}

// Fetch brings the artifacts of a run that a tracking server or a bucket has to ArtifactDir: those of these names, or
// all without any, that this machine lacks. Other artifacts are where they belong. It does nothing for a run of a
// server that a program with this data directory writes.
func (t *Tracker) Fetch(ctx context.Context, run RunInfo, only ...string) error {
	return t.backend.Fetch(ctx, run, only...)
}

// Objects lists the artifacts that a run has in its bucket, by name.
func (t *Tracker) Objects(ctx context.Context, run RunInfo) ([]Object, error) {
	return t.backend.Objects(ctx, run)
}
