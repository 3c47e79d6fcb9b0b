package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
)

// resultColumns are the columns of spherelab.evaluation_result after run_uuid. A missing interval is NULL there.
const resultColumns = `step, split, cut, category, metric, value, low, high, at`

// resultRows is the relation u of the rows that resultArrays passes to a statement.
const resultRows = `unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::double precision[],
	$8::double precision[], $9::double precision[], $10::bigint[]) AS u (` + resultColumns + `)`

// resultArrays returns the run and the columns of results, as arguments of a statement.
func resultArrays(run string, results []tracker.EvaluationResult) []any {
	n := len(results)
	steps, times := make([]int64, n), make([]int64, n)
	splits, cuts, categories, metrics := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	values, lows, highs := make([]float64, n), make([]*float64, n), make([]*float64, n)
	for i, r := range results {
		steps[i], times[i] = r.Step, r.At
		splits[i], cuts[i], categories[i], metrics[i] = r.Split, r.Cut, r.Category, r.Metric
		values[i] = r.Value
		if r.Interval {
			lows[i], highs[i] = &r.Low, &r.High
		}
	}
	return []any{run, pq.Array(steps), pq.Array(splits), pq.Array(cuts), pq.Array(categories), pq.Array(metrics),
		pq.Array(values), pq.Array(lows), pq.Array(highs), pq.Array(times)}
}

func insertResults(ctx context.Context, tx *sqlx.Tx, run string, results []tracker.EvaluationResult) error {
	for chunk := range slices.Chunk(results, tracker.MaxRows) {
		args := resultArrays(run, chunk)
		res, err := tx.ExecContext(ctx, `INSERT INTO spherelab.evaluation_result (run_uuid, `+resultColumns+`)
			SELECT $1, u.* FROM `+resultRows+` ON CONFLICT DO NOTHING`, args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if n > 0 {
			if _, err := tx.ExecContext(ctx, retireResults, run); err != nil {
				return err
			}
		}
		if n == int64(len(chunk)) {
			continue // none of them existed before
		}
		var bad resultRow
		err = tx.GetContext(ctx, &bad, `SELECT u.* FROM `+resultRows+` JOIN spherelab.evaluation_result s
			ON s.run_uuid = $1 AND s.split = u.split AND s.step = u.step AND s.cut = u.cut
				AND s.category = u.category AND s.metric = u.metric
			WHERE (s.value, s.low, s.high) IS DISTINCT FROM (u.value, u.low, u.high) LIMIT 1`, args...)
		if err == nil {
			return tracker.ResultConflict(bad.result().Key())
		}
		if !isNoRows(err) {
			return err
		}
	}
	return nil
}

// retireResults marks the results of a run that later ones have replaced.
const retireResults = `UPDATE spherelab.evaluation_result s SET latest = false WHERE s.run_uuid = $1 AND s.latest
	AND EXISTS (SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = s.run_uuid AND x.split = s.split
		AND x.cut = s.cut AND x.category = s.category AND x.metric = s.metric AND x.step > s.step)`

// resultRow is a row of spherelab.evaluation_result.
type resultRow struct {
	Run                          string `db:"run_uuid"`
	Step                         int64
	Split, Cut, Category, Metric string
	Value                        float64
	Low, High                    *float64
	At                           int64
}

func (r resultRow) result() tracker.EvaluationResult {
	e := tracker.EvaluationResult{Step: r.Step, Split: r.Split, Cut: r.Cut, Category: r.Category, Metric: r.Metric,
		Value: r.Value, At: r.At}
	if r.Low != nil && r.High != nil {
		e.Interval, e.Low, e.High = true, *r.Low, *r.High
	}
	return e
}

func results(rows []resultRow) []tracker.EvaluationResult {
	list := make([]tracker.EvaluationResult, len(rows))
	for i, r := range rows {
		list[i] = r.result()
	}
	return list
}

// selectResults has the order of Results.
const selectResults = `SELECT ` + resultColumns + ` FROM spherelab.evaluation_result WHERE run_uuid = $1
	ORDER BY split COLLATE "C", step, cut COLLATE "C", category COLLATE "C", metric COLLATE "C"`

// fillResults adds the latest results of runs to their metrics: all, or those with some keys. A metric with the same
// key has the same value.
func (t *Store) fillResults(ctx context.Context, index map[string]*tracker.RunInfo, keys []string) error {
	args := []any{pq.Array(slices.Sorted(maps.Keys(index)))}
	query := `SELECT run_uuid, ` + resultColumns + ` FROM spherelab.evaluation_result
		WHERE run_uuid = ANY ($1) AND latest`
	if keys != nil {
		var names [4][]string
		for _, key := range keys {
			if n, _, ok := tracker.ParseResultKey(key); ok {
				for i, text := range []string{n.Split, n.Cut, n.Category, n.Metric} {
					names[i] = append(names[i], text)
				}
			}
		}
		if len(names[0]) == 0 {
			return nil
		}
		query += ` AND (split, cut, category, metric) IN (SELECT * FROM unnest($2::text[], $3::text[], $4::text[],
			$5::text[]))`
		for _, list := range names {
			args = append(args, pq.Array(list))
		}
	}
	var rows []resultRow
	if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return err
	}
	for _, row := range rows {
		run := index[row.Run]
		for key, v := range row.result().Numbers() {
			step, there := run.Steps[key]
			if (!there || step < row.Step) && (keys == nil || slices.Contains(keys, key)) {
				run.Metrics[key], run.Steps[key] = v, row.Step
			}
		}
	}
	return nil
}

// resultKeys returns the keys of the results that any run has. It visits an index once per name, whatever the number of
// runs. It does not matter here that only some runs have intervals.
func (t *Store) resultKeys(ctx context.Context) ([]string, error) {
	var names []resultRow
	err := t.db.SelectContext(ctx, &names, `WITH RECURSIVE k AS (
		(SELECT split, cut, category, metric, low FROM spherelab.evaluation_result WHERE latest
			ORDER BY split, cut, category, metric LIMIT 1)
		UNION ALL SELECT x.* FROM k CROSS JOIN LATERAL (
			SELECT e.split, e.cut, e.category, e.metric, e.low FROM spherelab.evaluation_result e
			WHERE e.latest AND (e.split, e.cut, e.category, e.metric) > (k.split, k.cut, k.category, k.metric)
			ORDER BY e.split, e.cut, e.category, e.metric LIMIT 1) x
	) SELECT split, cut, category, metric, low, low AS high FROM k`)
	var keys []string
	for _, r := range results(names) {
		for key := range r.Numbers() {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// numberCondition returns the condition that run r has a derived number or a result of this key that fits. It returns
// "" if no derived number or result has such a key.
func numberCondition(q *filter.Query, key string, fits func(column string) string) string {
	if d, ok, err := parseDerived(key); ok && err == nil {
		return "r.run_uuid IN (SELECT y.run_uuid FROM (" + d.rows("", q.Arg) +
			") y WHERE y.value <> 'NaN' AND " + fits("y.value") + ")"
	}
	return resultCondition(q, key, fits)
}

// resultCondition returns the condition that run r has a result of this key that fits. It returns "" if no result has
// such a key.
func resultCondition(q *filter.Query, key string, fits func(column string) string) string {
	n, part, ok := tracker.ParseResultKey(key)
	if !ok {
		return ""
	}
	return fmt.Sprintf(`EXISTS (SELECT FROM spherelab.evaluation_result y WHERE y.run_uuid = r.run_uuid AND y.latest
		AND y.split = %s AND y.cut = %s AND y.category = %s AND y.metric = %s AND %s)`, q.Arg(n.Split), q.Arg(n.Cut),
		q.Arg(n.Category), q.Arg(n.Metric), fits("y."+resultColumn[part]))
}

// Results returns the results of a run's evaluations, or only those of a key if one is given.
func (d database) Results(ctx context.Context, run string, key *string) ([]tracker.EvaluationResult, error) {
	var rows []resultRow
	if key == nil {
		err := d.t.db.SelectContext(ctx, &rows, selectResults, run)
		return results(rows), fault(err)
	}
	name, _, ok := tracker.ParseResultKey(*key)
	if !ok {
		return nil, nil
	}
	err := d.t.db.SelectContext(ctx, &rows, `SELECT `+resultColumns+` FROM spherelab.evaluation_result
		WHERE run_uuid = $1 AND split = $2 AND cut = $3 AND category = $4 AND metric = $5 ORDER BY step`,
		run, name.Split, name.Cut, name.Category, name.Metric)
	return results(rows), fault(err)
}

// resultColumn returns the column for an end of a key.
var resultColumn = map[string]string{"": "value", tracker.LowSuffix: "low", tracker.HighSuffix: "high"}
