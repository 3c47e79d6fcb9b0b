package tracker

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
)

// RunInfo is a run as stored.
type RunInfo struct {
	ID, Name, Experiment, Status string
	User                         string
	Start, End                   time.Time // End is zero while the run is RUNNING
	Params, Tags                 map[string]string
	Metrics                      map[string]float64 // the latest value of each key, results of evaluations too
	Steps                        map[string]int64   // the step of the latest value
	ArtifactURI                  string
	Deleted                      bool
	folder                       string // of this machine with its artifacts; "" where ArtifactURI says it
	inBucket                     bool   // folder is a copy
	SameName                     int    // how many other runs have the name by which FindRun found this one
	Passed                       int    // how many newer runs FindRunWhere passed over to find this one
}

// Filter restricts Runs. The zero Filter is all runs that are not deleted and are no groups.
type Filter struct {
	IDs        []string // nil: any; groups are left out unless they are named here
	Experiment string
	Status     Status
	Name       string
	Params     map[string]string // all of these
	Tags       map[string]string // all of these
	Deleted    bool              // deleted runs instead of the others
	Limit      int               // 0: all
	Groups     bool              // groups too
}

// wantsGroups reports whether groups are not left out.
func (f Filter) wantsGroups() bool { return f.Groups || f.IDs != nil }

// Point is one value of a metric.
type Point struct {
	Step  int64
	Time  time.Time
	Value float64
}

type runRow struct {
	ID          string  `db:"run_uuid"`
	Name        string  `db:"name"`
	Experiment  string  `db:"experiment"`
	Status      string  `db:"status"`
	User        string  `db:"user_id"`
	Start       *int64  `db:"start_time"`
	End         *int64  `db:"end_time"`
	ArtifactURI *string `db:"artifact_uri"`
	Stage       string  `db:"lifecycle_stage"`
}

const selectRuns = `SELECT r.run_uuid, coalesce(r.name, '') AS name, coalesce(e.name, '') AS experiment,
	coalesce(r.status, '') AS status, coalesce(r.user_id, '') AS user_id, r.start_time, r.end_time, r.artifact_uri,
	coalesce(r.lifecycle_stage, 'active') AS lifecycle_stage
	FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id`

const newestFirst = ` ORDER BY r.start_time DESC NULLS LAST, r.run_uuid`

// Runs returns the runs that pass the filter, newest first.
func (t *Tracker) Runs(ctx context.Context, f Filter) ([]RunInfo, error) {
	if t.remote != nil {
		return t.remote.runs(ctx, f)
	}
	stage := "active"
	if f.Deleted {
		stage = "deleted"
	}
	where := []string{"r.lifecycle_stage = $1"}
	args := []any{stage}
	add := func(condition string, values ...any) {
		marks := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			marks[i] = len(args)
		}
		where = append(where, fmt.Sprintf(condition, marks...))
	}
	if !f.wantsGroups() {
		add(notGroup)
	}
	if f.IDs != nil {
		add("r.run_uuid = ANY ($%d)", pq.Array(f.IDs))
	}
	if f.Experiment != "" {
		add("e.name = $%d", f.Experiment)
	}
	if f.Status != "" {
		add("r.status = $%d", string(f.Status))
	}
	if f.Name != "" {
		add("r.name = $%d", f.Name)
	}
	const has = "EXISTS (SELECT FROM public.%s x WHERE x.run_uuid = r.run_uuid AND x.key = $%%d AND x.value = $%%d)"
	for _, key := range sortedKeys(f.Params) {
		add(fmt.Sprintf(has, "params"), key, f.Params[key])
	}
	for _, key := range sortedKeys(f.Tags) {
		add(fmt.Sprintf(has, "tags"), key, f.Tags[key])
	}
	query := selectRuns + " WHERE " + strings.Join(where, " AND ") + newestFirst
	if f.Limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	var out []RunInfo
	err := t.retry(ctx, "reading runs", func(ctx context.Context) error {
		var rows []runRow
		if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
			return err
		}
		var err error
		out, err = t.complete(ctx, rows)
		return err
	})
	return out, err
}

// runInfos are run rows without params, tags and metrics, also by id.
func (t *Tracker) runInfos(rows []runRow) ([]RunInfo, map[string]*RunInfo) {
	out := make([]RunInfo, len(rows))
	index := make(map[string]*RunInfo, len(rows))
	for i, r := range rows {
		out[i] = RunInfo{ID: r.ID, Name: r.Name, Experiment: r.Experiment, Status: r.Status, User: r.User,
			Start: unixTime(r.Start), End: unixTime(r.End), Params: map[string]string{}, Tags: map[string]string{},
			Metrics: map[string]float64{}, Steps: map[string]int64{}, Deleted: r.Stage == "deleted"}
		if r.ArtifactURI != nil {
			out[i].ArtifactURI = *r.ArtifactURI
			out[i].folder, out[i].inBucket = t.copyOfURI(*r.ArtifactURI)
			if below, ok := servedFile(*r.ArtifactURI); ok && t.remote == nil {
				out[i].folder = filepath.Join(t.ArtifactRoot(), below)
			}
		}
		index[r.ID] = &out[i]
	}
	return out, index
}

// complete adds params, tags and latest metrics to run rows.
func (t *Tracker) complete(ctx context.Context, rows []runRow) ([]RunInfo, error) {
	out, index := t.runInfos(rows)
	if len(out) == 0 {
		return out, nil
	}
	ids := pq.Array(sortedKeys(index))
	var texts []struct {
		Run   string `db:"run_uuid"`
		Param bool
		Key   string
		Value string
	}
	err := t.db.SelectContext(ctx, &texts, `SELECT run_uuid, true AS param, key, value FROM public.params
			WHERE run_uuid = ANY ($1)
		UNION ALL SELECT run_uuid, false, key, coalesce(value, '') FROM public.tags WHERE run_uuid = ANY ($1)`, ids)
	if err != nil {
		return nil, err
	}
	for _, x := range texts {
		if x.Param {
			index[x.Run].Params[x.Key] = x.Value
		} else {
			index[x.Run].Tags[x.Key] = x.Value
		}
	}
	if err := t.fillMetrics(ctx, index, "", ids); err != nil {
		return nil, err
	}
	return out, t.fillResults(ctx, index, nil)
}

// fillMetrics adds the latest metrics of the runs $1 that pass a further condition.
func (t *Tracker) fillMetrics(ctx context.Context, index map[string]*RunInfo, condition string, args ...any) error {
	var metrics []struct {
		Run   string `db:"run_uuid"`
		Key   string
		Value float64
		Step  int64
		IsNaN bool `db:"is_nan"`
	}
	err := t.db.SelectContext(ctx, &metrics, `SELECT run_uuid, key, value, step, is_nan FROM public.latest_metrics
		WHERE run_uuid = ANY ($1)`+condition, args...)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		index[m.Run].Metrics[m.Key] = fromMLflow(m.Value, m.IsNaN)
		index[m.Run].Steps[m.Key] = m.Step
	}
	return nil
}

// lastTime is the end of the year 9999 in Unix milliseconds. JSON has no later time, and MLflow's tables have what
// clients sent: a time in nanoseconds is one of the year 50,000,000.
const lastTime = 253402300799999

// unixTime is the zero time where nothing, or nothing possible, is stored.
func unixTime(ms *int64) time.Time {
	if ms == nil || *ms < 0 || *ms > lastTime {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}

// MetricPoint is one value of one metric of a run.
type MetricPoint struct {
	Key string
	Point
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
	return t.withResults(ctx, runID, key, points)
}

// points returns the values of one metric, or of all for nil.
func (t *Tracker) points(ctx context.Context, runID string, key *string) ([]MetricPoint, error) {
	if t.remote != nil {
		return t.remote.points(ctx, runID, key)
	}
	var rows []struct {
		Key       string
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT key, step, timestamp, value, is_nan FROM public.metrics
			WHERE run_uuid = $1 AND ($2::text IS NULL OR key = $2)
			ORDER BY step, timestamp, key COLLATE "C", value, is_nan`, runID, key)
	})
	if err != nil {
		return nil, err
	}
	points := make([]MetricPoint, len(rows))
	for i, r := range rows {
		points[i] = MetricPoint{r.Key, Point{r.Step, time.UnixMilli(r.Timestamp).UTC(), fromMLflow(r.Value, r.IsNaN)}}
	}
	return points, nil
}

// Keys returns the names of a run's metrics and results, sorted bytewise.
func (t *Tracker) Keys(ctx context.Context, runID string) ([]string, error) {
	var keys []string
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) (err error) {
		if t.remote != nil {
			keys, err = t.remote.keys(ctx, runID)
			return err
		}
		keys = nil
		return t.db.SelectContext(ctx, &keys, `SELECT key FROM public.latest_metrics WHERE run_uuid = $1`, runID)
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
