package postgres

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

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

// Runs returns the runs that pass a filter, newest first.
func (d database) Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error) {
	t := d.t
	where := []string{"r.lifecycle_stage = $1"}
	args := []any{stage(f.Deleted)}
	add := func(condition string, values ...any) {
		marks := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			marks[i] = len(args)
		}
		where = append(where, fmt.Sprintf(condition, marks...))
	}
	if !f.WantsGroups() {
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
	for _, key := range slices.Sorted(maps.Keys(f.Params)) {
		add(fmt.Sprintf(has, "params"), key, f.Params[key])
	}
	for _, key := range slices.Sorted(maps.Keys(f.Tags)) {
		add(fmt.Sprintf(has, "tags"), key, f.Tags[key])
	}
	query := selectRuns + " WHERE " + strings.Join(where, " AND ") + newestFirst
	if f.Limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	var rows []runRow
	if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fault(err)
	}
	out, err := t.complete(ctx, rows)
	return out, fault(err)
}

// runInfos are run rows without params, tags and metrics, also by id.
func (t *Store) runInfos(rows []runRow) ([]tracker.RunInfo, map[string]*tracker.RunInfo) {
	out := make([]tracker.RunInfo, len(rows))
	index := make(map[string]*tracker.RunInfo, len(rows))
	for i, r := range rows {
		out[i] = tracker.RunInfo{ID: r.ID, Name: r.Name, Experiment: r.Experiment, Status: r.Status, User: r.User,
			Start: form.UnixTime(r.Start), End: form.UnixTime(r.End), Params: map[string]string{},
			Tags:    map[string]string{},
			Metrics: map[string]float64{}, Steps: map[string]int64{}, Deleted: r.Stage == "deleted"}
		if r.ArtifactURI != nil {
			out[i].ArtifactURI = *r.ArtifactURI
			out[i].KeepIn(t.copyOfURI(*r.ArtifactURI))
			if below, ok := servedFile(*r.ArtifactURI); ok {
				out[i].KeepIn(filepath.Join(t.ArtifactRoot(), below), false)
			}
		}
		index[r.ID] = &out[i]
	}
	return out, index
}

// complete adds params, tags and latest metrics to run rows.
func (t *Store) complete(ctx context.Context, rows []runRow) ([]tracker.RunInfo, error) {
	out, index := t.runInfos(rows)
	if len(out) == 0 {
		return out, nil
	}
	return out, t.addValues(ctx, index)
}

// addValues adds params, tags and latest metrics to runs by their ids.
func (t *Store) addValues(ctx context.Context, index map[string]*tracker.RunInfo) error {
	ids := pq.Array(slices.Sorted(maps.Keys(index)))
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
		return err
	}
	for _, x := range texts {
		if x.Param {
			index[x.Run].Params[x.Key] = x.Value
		} else {
			index[x.Run].Tags[x.Key] = x.Value
		}
	}
	if err := t.fillMetrics(ctx, index, "", ids); err != nil {
		return err
	}
	return t.fillResults(ctx, index, nil)
}

// fillMetrics adds the latest metrics of the runs $1 that pass a further condition.
func (t *Store) fillMetrics(ctx context.Context, index map[string]*tracker.RunInfo, condition string,
	args ...any) error {
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
		index[m.Run].Metrics[m.Key] = form.FromMLflow(m.Value, m.IsNaN)
		index[m.Run].Steps[m.Key] = m.Step
	}
	return nil
}

// Points returns the values of one metric, or of all metrics for nil.
func (d database) Points(ctx context.Context, run string, key *string) ([]tracker.MetricPoint, error) {
	var rows []struct {
		Key       string
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	err := d.t.db.SelectContext(ctx, &rows, `SELECT key, step, timestamp, value, is_nan FROM public.metrics
		WHERE run_uuid = $1 AND ($2::text IS NULL OR key = $2)
		ORDER BY step, timestamp, key COLLATE "C", value, is_nan`, run, key)
	if err != nil {
		return nil, fault(err)
	}
	points := make([]tracker.MetricPoint, len(rows))
	for i, r := range rows {
		points[i] = tracker.MetricPoint{Key: r.Key, Point: tracker.Point{Step: r.Step,
			Time: time.UnixMilli(r.Timestamp).UTC(), Value: form.FromMLflow(r.Value, r.IsNaN)}}
	}
	return points, nil
}

// Keys returns the names of a run's metrics.
func (d database) Keys(ctx context.Context, run string) (keys []string, err error) {
	err = d.t.db.SelectContext(ctx, &keys, `SELECT key FROM public.latest_metrics WHERE run_uuid = $1`, run)
	return keys, fault(err)
}

// stage returns MLflow's word for a run that is deleted or not.
func stage(deleted bool) string {
	if deleted {
		return "deleted"
	}
	return "active"
}

// notGroup is the condition that a run r is not a group.
const notGroup = `NOT EXISTS (SELECT FROM public.tags g WHERE g.run_uuid = r.run_uuid AND g.key = '` + tracker.TagGroup + `')`
