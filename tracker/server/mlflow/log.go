package mlflow

import (
	"context"
	"net/http"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// Limits of a batch, as in MLflow.
const (
	maxMetrics = 1000
	maxPairs   = 100
	maxOfAll   = 1000
)

// loggedMetric is a metric in a request. Key, value and timestamp are required.
type loggedMetric struct {
	Key   string
	Value *float
	Time  *integer `json:"timestamp"`
	Step  integer
}

func (m loggedMetric) point() (p tracker.MetricPoint, err error) {
	switch {
	case m.Key == "":
		return p, invalid("a metric lacks its key")
	case m.Value == nil:
		return p, invalid("metric %.100q lacks its value", m.Key)
	case m.Time == nil:
		return p, invalid("metric %.100q lacks its timestamp", m.Key)
	}
	p.Key = m.Key
	p.Point = tracker.Point{Step: int64(m.Step), Time: time.UnixMilli(int64(*m.Time)), Value: float64(*m.Value)}
	return p, nil
}

func (a *API) logMetric(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		loggedMetric
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	p, err := in.point()
	if err != nil {
		return nil, err
	}
	return empty{}, a.t.Store(ctx, id, tracker.Records{Points: []tracker.MetricPoint{p}})
}

func (a *API) logParam(ctx context.Context, r *http.Request) (any, error) {
	return a.logPair(ctx, r, func(p map[string]string) tracker.Records { return tracker.Records{Params: p} })
}

func (a *API) setTag(ctx context.Context, r *http.Request) (any, error) {
	return a.logPair(ctx, r, func(t map[string]string) tracker.Records { return tracker.Records{Tags: t} })
}

func (a *API) logPair(ctx context.Context, r *http.Request, as func(map[string]string) tracker.Records) (any, error) {
	var in struct {
		runRef
		pair
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	return empty{}, a.t.Store(ctx, id, as(map[string]string{in.Key: in.Value}))
}

func (a *API) logBatch(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Metrics []loggedMetric
		Params  []pair
		Tags    []pair
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		what     string
		n, limit int
	}{{"metrics", len(in.Metrics), maxMetrics}, {"params", len(in.Params), maxPairs}, {"tags", len(in.Tags), maxPairs},
		{"metrics, params and tags", len(in.Metrics) + len(in.Params) + len(in.Tags), maxOfAll}} {
		if c.n > c.limit {
			return nil, invalid("the batch has %d %s; at most %d fit", c.n, c.what, c.limit)
		}
	}
	records := tracker.Records{Points: make([]tracker.MetricPoint, len(in.Metrics))}
	for i, m := range in.Metrics {
		if records.Points[i], err = m.point(); err != nil {
			return nil, err
		}
	}
	if records.Params, err = pairs("param", in.Params); err != nil {
		return nil, err
	}
	if records.Tags, err = pairs("tag", in.Tags); err != nil {
		return nil, err
	}
	return empty{}, a.t.Store(ctx, id, records)
}

func (a *API) deleteTag(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Key string
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	return empty{}, a.t.DeleteTag(ctx, id, in.Key)
}
