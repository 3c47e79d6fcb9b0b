package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// parseBest returns the metric of a key of BestKey. It returns an error if the metric's best value must not be read.
func parseBest(key string) (metric string, ok bool, err error) {
	metric, ok = strings.CutSuffix(key, tracker.BestSuffix)
	if !ok {
		return "", false, nil
	}
	if _, has := tracker.BestKey(metric); !has {
		return "", false, tracker.Errorf(tracker.CodeInvalid, nil, "%.100q has no best value: nothing is chosen by test data, and ends of "+
			"intervals and system metrics are not compared; take the newest value, %.100q", metric, metric)
	}
	return metric, true, nil
}

// derivedKey is a metric that no run logged by this key: the best value of a metric, its value at a cut, or both.
type derivedKey struct {
	metric, cut string
	isBest      bool
}

// parseDerived reads a key of BestKey or CutKey. It returns an error if the metric's best value must not be read.
func parseDerived(key string) (d derivedKey, ok bool, err error) {
	d.metric = key
	if metric, best, err := parseBest(key); err != nil {
		return d, false, err
	} else if best {
		d.metric, d.isBest = metric, true
	}
	if metric, cut, at := tracker.ParseCutKey(d.metric); at {
		d.metric, d.cut = metric, cut
	}
	return d, d.isBest || d.cut != "", nil
}

// rows returns SQL for run_uuid, value and step of each run. It reads the best value in the history, the first of equal
// ones, without NaN; or the newest value. arg places an argument; more is a further condition on run_uuid.
func (d derivedKey) rows(more string, arg func(any) string) string {
	metrics, results, number := "public.latest_metrics", " AND latest", "CASE WHEN is_nan THEN 'NaN' ELSE value END"
	where := " WHERE true"
	if d.isBest {
		metrics, results, where = "public.metrics", "", " WHERE value <> 'NaN'"
	}
	var parts []string
	add := func(place int, key, more string) {
		parts = append(parts, fmt.Sprintf("SELECT run_uuid, %s AS value, step, %d AS place FROM %s WHERE key = %s", number,
			place, metrics, arg(key))+more)
		if n, part, ok := tracker.ParseResultKey(key); ok {
			parts = append(parts, fmt.Sprintf(`SELECT run_uuid, %s, step, %d FROM spherelab.evaluation_result
				WHERE split = %s AND cut = %s AND category = %s AND metric = %s`, resultColumn[part], place, arg(n.Split),
				arg(n.Cut), arg(n.Category), arg(n.Metric))+results+more)
		}
	}
	if d.cut == "" {
		add(0, d.metric, more)
	} else {
		n, part := tracker.ResultAtCut(d.metric, d.cut)
		add(0, n.Key()+part, more)
		add(1, d.metric, more+" AND run_uuid IN (SELECT run_uuid FROM public.tags WHERE key = '"+tracker.TagCriterion+
			"' AND value = "+arg(d.cut)+")")
	}
	order := "place, step DESC"
	if d.isBest {
		order = "value DESC, step"
		if tracker.LowestIsBest(d.metric) {
			order = "value, step"
		}
	}
	return "SELECT DISTINCT ON (run_uuid) run_uuid, value, step FROM (" + strings.Join(parts, " UNION ALL ") + ") h" +
		where + " AND value IS NOT NULL ORDER BY run_uuid, " + order
}

// Best returns the best values of metrics of runs, and their steps, by run and by metric. It leaves out metrics that
// BestKey refuses and metrics that a run does not have as a number.
func (t *Store) Best(ctx context.Context, ids, metrics []string) (map[string]map[string]tracker.Point, error) {
	var best map[string]map[string]tracker.Point
	err := t.retry(ctx, "reading the best values of metrics", func(ctx context.Context) error {
		best = map[string]map[string]tracker.Point{}
		for _, metric := range metrics {
			key, ok := tracker.BestKey(metric)
			if !ok {
				continue
			}
			points, err := t.readDerived(ctx, ids, key)
			if err != nil {
				return err
			}
			for id, p := range points {
				if best[id] == nil {
					best[id] = map[string]tracker.Point{}
				}
				best[id][metric] = p
			}
		}
		return nil
	})
	return best, err
}

// readDerived reads a key of BestKey or CutKey of runs.
func (t *Store) readDerived(ctx context.Context, ids []string, key string) (map[string]tracker.Point, error) {
	d, _, err := parseDerived(key)
	if err != nil {
		return nil, err
	}
	args := []any{pq.Array(ids)}
	query := d.rows(" AND run_uuid = ANY ($1)", func(x any) string {
		args = append(args, x)
		return fmt.Sprintf("$%d", len(args))
	})
	var rows []struct {
		Run   string `db:"run_uuid"`
		Value float64
		Step  int64
	}
	if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, err
	}
	points := make(map[string]tracker.Point, len(rows))
	for _, r := range rows {
		points[r.Run] = tracker.Point{Value: form.FromMLflow(r.Value, false), Step: r.Step}
	}
	return points, nil
}

// fillDerived adds to runs what keys of BestKey and CutKey ask for. It returns the other keys.
func (t *Store) fillDerived(ctx context.Context, index map[string]*tracker.RunInfo, keys []string) ([]string, error) {
	var others []string
	for _, key := range keys {
		if _, ok, _ := parseDerived(key); !ok {
			others = append(others, key)
			continue
		}
		points, err := t.readDerived(ctx, slices.Sorted(maps.Keys(index)), key)
		if err != nil {
			return nil, err
		}
		for id, p := range points {
			index[id].Metrics[key], index[id].Steps[key] = p.Value, p.Step
		}
	}
	return others, nil
}
