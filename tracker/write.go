package tracker

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

const tagRunName = "mlflow.runName"

const (
	rowsPerStatement   = 1000   // of results that one INSERT takes, and of points in one request: MLflow's limit
	pointsPerStatement = 10_000 // that one INSERT takes: a part of a spool has up to three times as many
)

// metricRow is a row of MLflow's table metrics.
type metricRow struct {
	key       string
	value     float64
	isNaN     bool
	timestamp int64
	step      int64
}

// toMLflow converts a value to MLflow's form: NaN is (0, is_nan), the infinities are the largest finite numbers.
func toMLflow(v float64) (float64, bool) {
	switch {
	case math.IsNaN(v):
		return 0, true
	case math.IsInf(v, 1):
		return math.MaxFloat64, false
	case math.IsInf(v, -1):
		return -math.MaxFloat64, false
	}
	return v, false
}

// fromMLflow is the inverse of toMLflow.
func fromMLflow(v float64, isNaN bool) float64 {
	switch {
	case isNaN:
		return math.NaN()
	case v >= math.MaxFloat64:
		return math.Inf(1)
	case v <= -math.MaxFloat64:
		return math.Inf(-1)
	}
	return v
}

// batch is a part of a spool, ready to be written.
type batch struct {
	metrics   []metricRow
	params    map[string]string
	tags      map[string]string
	relations []RelationResult
	results   []EvaluationResult
	inputs    []Dataset
	files     []string // to send to a tracking server or a bucket
	status    Status   // "" if the part has no finish record
	end       int64    // Unix milliseconds of the finish
	fresh     bool     // nothing of it is stored, as far as this program knows
	last      int64    // latest time of any record
}

// makeBatch decodes lines of a spool. It counts those that are damaged.
func makeBatch(lines []byte) (b batch, damaged int) {
	b = batch{params: map[string]string{}, tags: map[string]string{}}
	keys := map[string]string{} // each once
	for line := range bytes.Lines(lines) {
		text, err := whole(line[:len(line)-1])
		switch {
		case err != nil:
		case isMetrics(text): // nearly all
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
	b.sortMetrics()
	return b, damaged
}

func (b *batch) add(e entry) {
	b.last = max(b.last, e.Time)
	switch e.Kind {
	case "metric":
		b.addMetrics(e)
	case "param":
		maps.Copy(b.params, e.Texts)
	case "tag":
		maps.Copy(b.tags, e.Texts)
	case "relations":
		b.relations = append(b.relations, e.Relations...)
	case "results":
		b.addMetrics(e)
		for _, r := range e.Results {
			r.At = e.Time
			b.results = append(b.results, r)
		}
	case "inputs":
		b.inputs = append(b.inputs, e.Inputs...)
	case "files":
		b.files = append(b.files, e.Files...)
	case "finish":
		b.status, b.end = e.Status, e.Time
	}
}

// addPoints adds a record of appendMetrics, without an entry and its map.
func (b *batch) addPoints(text []byte, keys map[string]string) error {
	before := len(b.metrics)
	at, _, err := eachMetric(text, func(at, step int64, key []byte, value float64) {
		name, ok := keys[string(key)]
		if !ok {
			name = string(key)
			keys[name] = name
		}
		v, isNaN := toMLflow(value)
		b.metrics = append(b.metrics, metricRow{name, v, isNaN, at, step})
	})
	if err != nil {
		b.metrics = b.metrics[:before]
		return err
	}
	b.last = max(b.last, at)
	return nil
}

// sortMetrics puts the rows about into the order of the table's primary key, in which PostgreSQL stores them with less
// work. Rows that tie in it keep the order of their calls, in which newest chooses.
func (b *batch) sortMetrics() {
	slices.SortStableFunc(b.metrics, func(a, b metricRow) int {
		return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.timestamp, b.timestamp), cmp.Compare(a.step, b.step))
	})
}

func (b *batch) addMetrics(e entry) {
	for key, n := range e.Values {
		v, isNaN := toMLflow(float64(n))
		b.metrics = append(b.metrics, metricRow{key, v, isNaN, e.Time, e.Step})
	}
}

// write stores a batch, if the claim to the run is valid. Storing it twice changes nothing.
func (t *Tracker) write(ctx context.Context, run string, by claim, b batch) error {
	if t.remote != nil {
		return t.remote.write(ctx, run, b)
	}
	if len(b.files) == 0 {
		return t.insert(ctx, run, by, b)
	}
	// What was logged before a file is stored before it, and the run's end after it.
	first := b
	first.status = ""
	if err := t.insert(ctx, run, by, first); err != nil {
		return err
	}
	if err := t.sendFiles(ctx, run, by, b.files); err != nil || b.status == "" {
		return err
	}
	return t.insert(ctx, run, by, batch{status: b.status, end: b.end})
}

// insert stores a batch but its files.
func (t *Tracker) insert(ctx context.Context, run string, by claim, b batch) error {
	err := t.insertOnce(ctx, run, by, b)
	if b.fresh && stateOf(err) == uniqueViolation { // an earlier try was committed, or a point was logged twice
		b.fresh = false
		err = t.insertOnce(ctx, run, by, b)
	}
	return err
}

func (t *Tracker) insertOnce(ctx context.Context, run string, by claim, b batch) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return t.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := by.check(ctx, tx); err != nil {
			return err
		}
		if err := forgetSummary(ctx, tx, run); err != nil {
			return err
		}
		// The spool drops what is committed, so a commit must be on the disk before it is confirmed.
		if _, err := tx.ExecContext(ctx, `SELECT set_config('synchronous_commit', 'on', true)
			WHERE current_setting('synchronous_commit') = 'off'`); err != nil {
			return err
		}
		if err := b.insert(ctx, tx, run); err != nil {
			return err
		}
		if b.status == "" {
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE public.runs SET status = $2, end_time = $3 WHERE run_uuid = $1`,
			run, string(b.status), b.end)
		return err
	})
}

// insert stores everything of a batch but the end of the run, whose summary is forgotten.
func (b batch) insert(ctx context.Context, tx *sqlx.Tx, run string) error {
	if err := insertMetrics(ctx, tx, run, b.metrics, b.fresh); err != nil {
		return err
	}
	if err := upsertLatest(ctx, tx, run, newest(b.metrics)); err != nil {
		return err
	}
	if err := insertParams(ctx, tx, run, b.params); err != nil {
		return err
	}
	if err := upsertTags(ctx, tx, run, b.tags); err != nil {
		return err
	}
	if err := insertRelations(ctx, tx, run, b.relations); err != nil {
		return err
	}
	return insertResults(ctx, tx, run, b.results)
}

// uniqueViolation is the SQLSTATE of a row that is there already.
const uniqueViolation = "23505"

// insertMetrics inserts points. One that is stored already is an error if they should be fresh, else it is left out:
// looking for each costs PostgreSQL a fifth of its work.
func insertMetrics(ctx context.Context, tx *sqlx.Tx, run string, rows []metricRow, fresh bool) error {
	statement := `INSERT INTO public.metrics (key, value, timestamp, run_uuid, step, is_nan)
		SELECT u.key, u.value, u.timestamp, $1, u.step, u.is_nan FROM ` + metricRows
	if !fresh {
		statement += ` ON CONFLICT DO NOTHING`
	}
	store := func() error {
		for chunk := range slices.Chunk(rows, pointsPerStatement) {
			if _, err := tx.ExecContext(ctx, statement, metricArrays(run, chunk)...); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) < manyPoints {
		return store()
	}
	return asOneRun(ctx, tx, run, store)
}

// metricRows is the relation u of the rows that metricArrays passes to a statement.
const metricRows = `unnest($2::text[], $3::double precision[], $4::bigint[], $5::bigint[], $6::boolean[])
	AS u (key, value, timestamp, step, is_nan)`

// metricArrays returns the run and the columns of rows, as arguments of a statement.
func metricArrays(run string, rows []metricRow) []any {
	return []any{run,
		texts(rows, func(r metricRow) string { return r.key }),
		doubles(rows, func(r metricRow) float64 { return r.value }),
		bigints(rows, func(r metricRow) int64 { return r.timestamp }),
		bigints(rows, func(r metricRow) int64 { return r.step }),
		bools(rows, func(r metricRow) bool { return r.isNaN })}
}

// newest keeps the row of each key that is the latest in MLflow's order: greatest (step, timestamp, value).
func newest(rows []metricRow) []metricRow {
	best := map[string]metricRow{}
	for _, r := range rows {
		old, ok := best[r.key]
		if !ok || cmp.Or(cmp.Compare(r.step, old.step), cmp.Compare(r.timestamp, old.timestamp),
			cmp.Compare(r.value, old.value)) > 0 {
			best[r.key] = r
		}
	}
	return slices.Collect(maps.Values(best))
}

func upsertLatest(ctx context.Context, tx *sqlx.Tx, run string, rows []metricRow) error {
	if len(rows) == 0 {
		return nil
	}
	// The greatest (step, timestamp, value) of each key is the latest, as in MLflow. One row per key, because an upsert
	// may not touch a row twice; sorted, so that two writers take their row locks in one order.
	_, err := tx.ExecContext(ctx, `INSERT INTO public.latest_metrics AS l (key, value, timestamp, run_uuid, step, is_nan)
		SELECT DISTINCT ON (u.key) u.key, u.value, u.timestamp, $1, u.step, u.is_nan FROM `+metricRows+`
		ORDER BY u.key, u.step DESC, u.timestamp DESC, u.value DESC
		ON CONFLICT (key, run_uuid) DO UPDATE SET value = excluded.value, timestamp = excluded.timestamp,
			step = excluded.step, is_nan = excluded.is_nan
		WHERE (excluded.step, excluded.timestamp, excluded.value) > (l.step, coalesce(l.timestamp, 0), l.value)`,
		metricArrays(run, rows)...)
	return err
}

func insertParams(ctx context.Context, tx *sqlx.Tx, run string, params map[string]string) error {
	if len(params) == 0 {
		return nil
	}
	keys, values := columns(params)
	res, err := tx.ExecContext(ctx, `INSERT INTO public.params (key, value, run_uuid)
		SELECT u.key, u.value, $1 FROM unnest($2::text[], $3::text[]) AS u (key, value) ON CONFLICT DO NOTHING`,
		run, pq.Array(keys), pq.Array(values))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == int64(len(keys)) {
		return err // none of them was there before
	}
	var stored []struct{ Key, Value string }
	// A join with unnest would compare each with each: the planner takes the array for a short one.
	err = tx.SelectContext(ctx, &stored, `SELECT key, value FROM public.params WHERE run_uuid = $1 AND key = ANY ($2)
		ORDER BY key COLLATE "C"`, run, pq.Array(keys))
	if err != nil {
		return err
	}
	for _, p := range stored {
		if now := params[p.Key]; p.Value != now {
			return paramConflict(p.Key, p.Value, now)
		}
	}
	return nil
}

func paramConflict(key, was, now string) error {
	return errorf(CodeConflict, nil, "param %q of this run is %.100q and cannot become %.100q: params do not change",
		key, was, now)
}

func upsertTags(ctx context.Context, tx *sqlx.Tx, run string, tags map[string]string) error {
	if len(tags) == 0 {
		return nil
	}
	keys, values := columns(tags)
	if _, err := tx.ExecContext(ctx, `INSERT INTO public.tags (key, value, run_uuid)
		SELECT u.key, u.value, $1 FROM unnest($2::text[], $3::text[]) AS u (key, value)
		ON CONFLICT (key, run_uuid) DO UPDATE SET value = excluded.value`,
		run, pq.Array(keys), pq.Array(values)); err != nil {
		return err
	}
	if name, ok := tags[tagRunName]; ok { // MLflow stores the name twice
		_, err := tx.ExecContext(ctx, `UPDATE public.runs SET name = $2 WHERE run_uuid = $1`, run, name)
		return err
	}
	return nil
}

func columns(m map[string]string) (keys, values []string) {
	for _, key := range sortedKeys(m) {
		keys, values = append(keys, key), append(values, m[key])
	}
	return keys, values
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
