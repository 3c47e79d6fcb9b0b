package tracker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/tracker/filter"
)

// resultKey is what a run has one result of.
type resultKey struct {
	resultName
	step int64
}

func (r EvaluationResult) key() resultKey { return resultKey{r.name(), r.Step} }

func checkResults(results []EvaluationResult) error {
	seen := make(map[resultKey]bool, len(results))
	names := map[resultName]bool{}
	for _, r := range results {
		if !names[r.name()] {
			if err := r.name().check(); err != nil {
				return err
			}
			names[r.name()] = true
		}
		if seen[r.key()] {
			return errorf(CodeInvalid, nil, "result %q has two values at step %d", r.name().key(), r.Step)
		}
		seen[r.key()] = true
	}
	return nil
}

// LogResults records the results of an evaluation at a step, and metrics at the same step, as one record: a crash keeps
// both or neither. It returns like LogMetrics. What the run has already, in either form, is skipped if it is the same,
// and an Error with CodeConflict if it is not. Step and At of the results are not read.
func (r *Run) LogResults(step int64, results []EvaluationResult, metrics map[string]float64) error {
	list := slices.Clone(results)
	for i := range list {
		list[i].Step, list[i].At = step, 0
	}
	if err := checkResults(list); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.checkMetrics(metrics); err != nil {
		return err
	}
	values, err := r.freshMetrics(step, metrics)
	if err != nil {
		return err
	}
	var fresh []EvaluationResult
	for _, result := range list {
		for key, v := range result.Numbers() { // a run of an earlier version has resumed
			if _, err := r.isStored(key, step, v); err != nil {
				return err
			}
		}
		old, ok := r.results[result.key()]
		if ok && !old.equal(result) {
			return resultConflict(result.key())
		}
		if !ok {
			fresh = append(fresh, result)
		}
	}
	if len(fresh) == 0 && len(values) == 0 {
		return r.checkOpen()
	}
	exact := make(map[string]jsonvalue.Exact, len(values))
	for key, v := range values {
		exact[key] = jsonvalue.Exact(v)
	}
	if err := r.record(entry{Kind: "results", Step: step, Values: exact, Results: fresh}); err != nil {
		return err
	}
	for _, result := range fresh {
		r.results[result.key()] = result
	}
	return nil
}

func resultConflict(k resultKey) error {
	return errorf(CodeConflict, nil, "result %q of this run at step %d was logged again with another value: "+
		"the resumed run does not repeat the first one", k.resultName.key(), k.step)
}

// resultColumns are the columns of spherelab.evaluation_result behind run_uuid. No interval is NULL there.
const resultColumns = `step, split, cut, category, metric, value, low, high, at`

// resultRows is the relation u of the rows that resultArrays passes to a statement.
const resultRows = `unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::double precision[],
	$8::double precision[], $9::double precision[], $10::bigint[]) AS u (` + resultColumns + `)`

// resultArrays returns the run and the columns of results, as arguments of a statement.
func resultArrays(run string, results []EvaluationResult) []any {
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

func insertResults(ctx context.Context, tx *sqlx.Tx, run string, results []EvaluationResult) error {
	for chunk := range slices.Chunk(results, rowsPerStatement) {
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
			continue // none of them was there before
		}
		var bad resultRow
		err = tx.GetContext(ctx, &bad, `SELECT u.* FROM `+resultRows+` JOIN spherelab.evaluation_result s
			ON s.run_uuid = $1 AND s.split = u.split AND s.step = u.step AND s.cut = u.cut
				AND s.category = u.category AND s.metric = u.metric
			WHERE (s.value, s.low, s.high) IS DISTINCT FROM (u.value, u.low, u.high) LIMIT 1`, args...)
		if err == nil {
			return resultConflict(bad.result().key())
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

func (r resultRow) result() EvaluationResult {
	e := EvaluationResult{Step: r.Step, Split: r.Split, Cut: r.Cut, Category: r.Category, Metric: r.Metric,
		Value: r.Value, At: r.At}
	if r.Low != nil && r.High != nil {
		e.Interval, e.Low, e.High = true, *r.Low, *r.High
	}
	return e
}

func results(rows []resultRow) []EvaluationResult {
	list := make([]EvaluationResult, len(rows))
	for i, r := range rows {
		list[i] = r.result()
	}
	return list
}

// selectResults has the order of Results.
const selectResults = `SELECT ` + resultColumns + ` FROM spherelab.evaluation_result WHERE run_uuid = $1
	ORDER BY split COLLATE "C", step, cut COLLATE "C", category COLLATE "C", metric COLLATE "C"`

// Results returns the results of a run's evaluations, by split, step, cut, category and metric. Runs of earlier
// versions have none: theirs are metrics.
func (t *Tracker) Results(ctx context.Context, runID string) ([]EvaluationResult, error) {
	var rows []resultRow
	var list []EvaluationResult
	err := t.retry(ctx, "reading the results of run "+runID, func(ctx context.Context) (err error) {
		rows = nil
		if t.remote != nil {
			list, err = t.remote.results.read(ctx, t.remote, runID)
			return err
		}
		return t.db.SelectContext(ctx, &rows, selectResults, runID)
	})
	if t.remote != nil {
		return list, err
	}
	return results(rows), err
}

// withResults adds the results of a key to the points of a metric, at the steps that these lack: a run of an earlier
// version may have been resumed.
func (t *Tracker) withResults(ctx context.Context, runID, key string, points []Point) ([]Point, error) {
	name, part, ok := parseResultKey(key)
	if !ok {
		return points, nil
	}
	there := make(map[int64]bool, len(points))
	for _, p := range points {
		there[p.Step] = true
	}
	if t.remote != nil {
		list, err := t.Results(ctx, runID)
		if ErrorCode(err) == CodeNotFound {
			err = nil // the points are all there is
		}
		for _, r := range list {
			if v, ok := r.number(part); ok && r.name() == name && !there[r.Step] {
				points = append(points, Point{r.Step, time.UnixMilli(r.At).UTC(), v})
			}
		}
		slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Step, b.Step) })
		return points, err
	}
	var rows []resultRow
	err := t.retry(ctx, "reading the results of run "+runID, func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT `+resultColumns+` FROM spherelab.evaluation_result
			WHERE run_uuid = $1 AND split = $2 AND cut = $3 AND category = $4 AND metric = $5 ORDER BY step`,
			runID, name.split, name.cut, name.category, name.metric)
	})
	for _, r := range results(rows) {
		if v, ok := r.number(part); ok && !there[r.Step] {
			points = append(points, Point{r.Step, time.UnixMilli(r.At).UTC(), v})
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Step, b.Step) })
	return points, err
}

// fillResults adds the latest results of runs to their metrics, all or those of some keys. A metric of the same key has
// the same value.
func (t *Tracker) fillResults(ctx context.Context, index map[string]*RunInfo, keys []string) error {
	args := []any{pq.Array(sortedKeys(index))}
	query := `SELECT run_uuid, ` + resultColumns + ` FROM spherelab.evaluation_result
		WHERE run_uuid = ANY ($1) AND latest`
	if keys != nil {
		var names [4][]string
		for _, key := range keys {
			if n, _, ok := parseResultKey(key); ok {
				for i, text := range []string{n.split, n.cut, n.category, n.metric} {
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

// resultKeys returns the keys of the results that any run has. It visits an index once per name, however many runs
// there are. That only some runs have intervals does not matter here.
func (t *Tracker) resultKeys(ctx context.Context) ([]string, error) {
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

// numberFits is the condition that run r has a best value or a result of this key that fits, "" if none has such a key.
func numberFits(q *filter.Query, key string, fits func(column string) string) string {
	if metric, ok, err := parseBest(key); ok && err == nil {
		return "r.run_uuid IN (SELECT y.run_uuid FROM (" + bestRows(metric, "", q.Arg) + ") y WHERE " + fits("y.value") + ")"
	}
	return resultFits(q, key, fits)
}

// resultFits is the condition that run r has a result of this key that fits, "" if no result has such a key.
func resultFits(q *filter.Query, key string, fits func(column string) string) string {
	n, part, ok := parseResultKey(key)
	if !ok {
		return ""
	}
	return fmt.Sprintf(`EXISTS (SELECT FROM spherelab.evaluation_result y WHERE y.run_uuid = r.run_uuid AND y.latest
		AND y.split = %s AND y.cut = %s AND y.category = %s AND y.metric = %s AND %s)`, q.Arg(n.split), q.Arg(n.cut),
		q.Arg(n.category), q.Arg(n.metric), fits("y."+resultColumn[part]))
}
