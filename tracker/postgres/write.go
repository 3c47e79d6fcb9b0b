package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
)

// Write stores a batch if the claim to the run is valid. Storing it twice changes nothing.
func (d database) Write(ctx context.Context, run string, by tracker.Claim, b tracker.Batch) error {
	return fault(d.t.write(ctx, run, by, b))
}

func (t *Store) write(ctx context.Context, run string, by tracker.Claim, b tracker.Batch) error {
	if len(b.Files) == 0 {
		return t.insert(ctx, run, by, b)
	}
	// What was logged before a file is stored before it, and the run's end is stored after it.
	first := b
	first.Status = ""
	if err := t.insert(ctx, run, by, first); err != nil {
		return err
	}
	if err := t.sendFiles(ctx, run, by, b.Files); err != nil || b.Status == "" {
		return err
	}
	return t.insert(ctx, run, by, tracker.Batch{Status: b.Status, End: b.End})
}

// insert stores a batch except its files.
func (t *Store) insert(ctx context.Context, run string, by tracker.Claim, b tracker.Batch) error {
	err := t.insertOnce(ctx, run, by, b)
	if b.Fresh && stateOf(err) == uniqueViolation { // an earlier try was committed, or a point was logged twice
		b.Fresh = false
		err = t.insertOnce(ctx, run, by, b)
	}
	return err
}

func (t *Store) insertOnce(ctx context.Context, run string, by tracker.Claim, b tracker.Batch) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return t.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := checkClaim(ctx, tx, by); err != nil {
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
		if err := insertBatch(ctx, tx, run, b); err != nil {
			return err
		}
		if b.Status == "" {
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE public.runs SET status = $2, end_time = $3 WHERE run_uuid = $1`,
			run, string(b.Status), b.End)
		return err
	})
}

// insertBatch stores everything of a batch except the end of the run. It forgets the run's summary.
func insertBatch(ctx context.Context, tx *sqlx.Tx, run string, b tracker.Batch) error {
	if err := insertMetrics(ctx, tx, run, b.Metrics, b.Fresh); err != nil {
		return err
	}
	if err := upsertLatest(ctx, tx, run, newest(b.Metrics)); err != nil {
		return err
	}
	if err := insertParams(ctx, tx, run, b.Params); err != nil {
		return err
	}
	if err := upsertTags(ctx, tx, run, b.Tags); err != nil {
		return err
	}
	if err := insertRelations(ctx, tx, run, b.Relations); err != nil {
		return err
	}
	return insertResults(ctx, tx, run, b.Results)
}

// pointsPerStatement is how many points one INSERT takes. A part of a spool has up to three times as many.
const pointsPerStatement = 10_000

// writeTimeout limits one transaction. A network that drops packets must not block the writer.
const writeTimeout = 60 * time.Second

// insertMetrics inserts points. A point that is stored already is an error if the points should be fresh. Otherwise it
// is left out; checking each point costs PostgreSQL a fifth of its work.
func insertMetrics(ctx context.Context, tx *sqlx.Tx, run string, rows []tracker.MetricRow, fresh bool) error {
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
func metricArrays(run string, rows []tracker.MetricRow) []any {
	return []any{run,
		texts(rows, func(r tracker.MetricRow) string { return r.Key }),
		doubles(rows, func(r tracker.MetricRow) float64 { return r.Value }),
		bigints(rows, func(r tracker.MetricRow) int64 { return r.Timestamp }),
		bigints(rows, func(r tracker.MetricRow) int64 { return r.Step }),
		bools(rows, func(r tracker.MetricRow) bool { return r.IsNaN })}
}

// newest keeps the latest row of each key in MLflow's order: greatest (step, timestamp, value).
func newest(rows []tracker.MetricRow) []tracker.MetricRow {
	best := map[string]tracker.MetricRow{}
	for _, r := range rows {
		old, ok := best[r.Key]
		if !ok || cmp.Or(cmp.Compare(r.Step, old.Step), cmp.Compare(r.Timestamp, old.Timestamp),
			cmp.Compare(r.Value, old.Value)) > 0 {
			best[r.Key] = r
		}
	}
	return slices.Collect(maps.Values(best))
}

func upsertLatest(ctx context.Context, tx *sqlx.Tx, run string, rows []tracker.MetricRow) error {
	if len(rows) == 0 {
		return nil
	}
	// The greatest (step, timestamp, value) of each key is the latest, as in MLflow. There is one row per key, because
	// an upsert may not change a row twice. They are sorted, so that two writers take their row locks in one order.
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
		return err // none of them existed before
	}
	var stored []struct{ Key, Value string }
	// A join with unnest would compare each row with each: the planner assumes that the array is short.
	err = tx.SelectContext(ctx, &stored, `SELECT key, value FROM public.params WHERE run_uuid = $1 AND key = ANY ($2)
		ORDER BY key COLLATE "C"`, run, pq.Array(keys))
	if err != nil {
		return err
	}
	for _, p := range stored {
		if now := params[p.Key]; p.Value != now {
			return tracker.ParamConflict(p.Key, p.Value, now)
		}
	}
	return nil
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
	if name, ok := tags[tracker.TagRunName]; ok { // MLflow stores the name twice
		_, err := tx.ExecContext(ctx, `UPDATE public.runs SET name = $2 WHERE run_uuid = $1`, run, name)
		return err
	}
	return nil
}

func columns(m map[string]string) (keys, values []string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		keys, values = append(keys, key), append(values, m[key])
	}
	return keys, values
}
