package web

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// bestOf returns the key of the best value of a metric, if pages offer one. They offer none for metrics of a cut or
// category, of which there are hundreds.
func bestOf(metric string) (key string, ok bool) {
	if strings.Count(metric, "/") > 1 {
		return "", false
	}
	return tracker.BestKey(metric)
}

// columns returns the columns that any run has, each metric followed by its best value.
func (s *site) columns(ctx context.Context) ([]string, error) {
	all, err := s.store.Columns(ctx)
	var list []string
	for _, column := range all {
		list = append(list, column)
		if key, of := strings.CutPrefix(column, "metric/"); of {
			if best, ok := bestOf(key); ok {
				list = append(list, "metric/"+best)
			}
		}
	}
	return list, err
}

// withBest returns the runs with the best values of their metrics: of the given columns, or of all that pages offer if
// columns is nil.
func (s *site) withBest(ctx context.Context, runs []tracker.RunInfo, columns []string) ([]tracker.RunInfo, error) {
	var metrics []string
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics }) {
		if best, ok := bestOf(key); ok && (columns == nil || slices.Contains(columns, "metric/"+best)) {
			metrics = append(metrics, key)
		}
	}
	if len(metrics) == 0 {
		return runs, nil
	}
	best, err := s.store.Best(ctx, ids(runs), metrics)
	if err != nil {
		return nil, err
	}
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].Metrics = maps.Clone(runs[i].Metrics)
		for metric, point := range best[runs[i].ID] {
			key, _ := bestOf(metric)
			runs[i].Metrics[key] = point.Value
		}
	}
	return runs, nil
}
