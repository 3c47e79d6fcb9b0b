package mlflow

import (
	"context"
	"net/http"

	"github.com/lib/pq"
)

// mostHistory bounds a page of a metric's history where the client names no size: MLflow returns everything.
const mostHistory = 1_000_000

func (a *API) history(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Key   string   `json:"metric_key"`
		Most  *integer `json:"max_results"`
		Token string   `json:"page_token"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	id, err := in.id()
	if err != nil {
		return nil, err
	}
	if in.Key == "" {
		return nil, invalid("the request lacks metric_key")
	}
	most, err := pageSize(in.Most, mostHistory, mostHistory)
	if err != nil {
		return nil, err
	}
	offset, err := readToken(in.Token)
	if err != nil {
		return nil, err
	}
	points := []metricValue{}
	err = a.db.SelectContext(ctx, &points, `SELECT key, `+valueOf+`, timestamp, step FROM public.metrics
		WHERE run_uuid = $1 AND key = $2 ORDER BY timestamp, step, public.metrics.value, is_nan LIMIT $3 OFFSET $4`,
		id, in.Key, most+1, offset)
	if err != nil {
		return nil, err
	}
	if len(points) == 0 {
		if _, err := a.oneRun(ctx, id); err != nil { // a metric that a run lacks has no points; a run must be there
			return nil, err
		}
	}
	out := map[string]any{}
	if len(points) > most {
		points, out["next_page_token"] = points[:most], pageToken(offset+most)
	}
	out["metrics"] = points
	return out, nil
}

// Limits of bulk intervals, as in MLflow.
const (
	mostBulkRuns    = 100
	mostBulkResults = 2500
	usualBulk       = 320
)

// historyBulkInterval returns a metric of several runs at evenly spaced steps of an interval, with the first and the
// last step of each run.
func (a *API) historyBulkInterval(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Runs  []string `json:"run_ids"`
		Key   string   `json:"metric_key"`
		Start *integer `json:"start_step"`
		End   *integer `json:"end_step"`
		Most  *integer `json:"max_results"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	switch {
	case len(in.Runs) == 0:
		return nil, invalid("the request lacks run_ids")
	case len(in.Runs) > mostBulkRuns:
		return nil, invalid("the request names %d runs; at most %d fit", len(in.Runs), mostBulkRuns)
	case in.Key == "":
		return nil, invalid("the request lacks metric_key")
	case (in.Start == nil) != (in.End == nil):
		return nil, invalid("start_step and end_step go together")
	case in.Start != nil && *in.Start > *in.End:
		return nil, invalid("start_step is %d and end_step is %d", *in.Start, *in.End)
	}
	most, err := pageSize(in.Most, usualBulk, mostBulkResults)
	if err != nil {
		return nil, err
	}
	var steps []struct {
		Step int64
		Edge bool // the first or the last step of a run
	}
	if err := a.db.SelectContext(ctx, &steps, `SELECT step, bool_or(step IN (first, last)) AS edge
		FROM (SELECT step, min(step) OVER w AS first, max(step) OVER w AS last FROM public.metrics
			WHERE run_uuid = ANY ($1) AND key = $2 AND ($3::bigint IS NULL OR step BETWEEN $3 AND $4)
			WINDOW w AS (PARTITION BY run_uuid)) all_steps
		GROUP BY step ORDER BY step`, pq.Array(in.Runs), in.Key, in.Start, in.End); err != nil {
		return nil, err
	}
	chosen := make([]int64, 0, most)
	for i, s := range steps {
		// Evenly spaced places: i is one if the scaled place changes here.
		if s.Edge || i*most/len(steps) != (i-1)*most/len(steps) || len(steps) <= most {
			chosen = append(chosen, s.Step)
		}
	}
	points := []struct {
		metricValue
		Run string `json:"run_id" db:"run_uuid"`
	}{}
	err = a.db.SelectContext(ctx, &points, `SELECT run_uuid, key, `+valueOf+`, timestamp, step FROM public.metrics
		WHERE run_uuid = ANY ($1) AND key = $2 AND step = ANY ($3)
		ORDER BY run_uuid, step, timestamp, public.metrics.value LIMIT $4`, pq.Array(in.Runs), in.Key,
		pq.Array(chosen), mostHistory)
	return map[string]any{"metrics": points}, err
}
