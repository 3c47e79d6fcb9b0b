package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

// SetStage deletes or restores a run, as MLflow does.
func (d database) SetStage(ctx context.Context, id string, deleted bool) error {
	from, to := stage(!deleted), stage(deleted)
	return fault(d.t.InTx(ctx, func(tx *sqlx.Tx) error {
		var at *int64
		if deleted {
			now := time.Now().UnixMilli()
			at = &now
		}
		res, err := tx.ExecContext(ctx, `UPDATE public.runs SET lifecycle_stage = $2, deleted_time = $3
			WHERE run_uuid = $1 AND lifecycle_stage = $4`, id, to, at, from)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return tracker.Errorf(tracker.CodeNotFound, nil, "there is no %s run %s", from, id)
		}
		return refusePurged(ctx, tx, id)
	}))
}

// SetTag sets a tag of an active run, or deletes it if the value is "".
func (d database) SetTag(ctx context.Context, id, key, value string) error {
	return fault(d.t.tagRuns(ctx, []string{id}, key, value))
}

// Tag returns the value of a tag, "" if the run lacks it.
func (d database) Tag(ctx context.Context, id, key string) (value string, err error) {
	err = d.t.db.GetContext(ctx, &value, `SELECT coalesce(value, '') FROM public.tags WHERE run_uuid = $1 AND key = $2`,
		id, key)
	if isNoRows(err) {
		return "", nil
	}
	return value, fault(err)
}

// refusePurged returns an error with CodeConflict if files of a run may be gone. The transaction has locked the run's
// row.
func refusePurged(ctx context.Context, tx *sqlx.Tx, id string) error {
	var purging bool
	err := tx.GetContext(ctx, &purging, `SELECT EXISTS (SELECT FROM public.tags WHERE run_uuid = $1 AND key = $2)`, id,
		tagPurging)
	if err == nil && purging {
		err = tracker.Errorf(tracker.CodeConflict, nil, "run %s was partly purged and cannot be restored; purge it again", id)
	}
	return err
}

// Writer returns which program writes a RUNNING run, by its heartbeat.
func (d database) Writer(ctx context.Context, id string) (*tracker.Writer, error) {
	w := tracker.Writer{Known: true}
	err := d.t.db.GetContext(ctx, &w, `SELECT coalesce(r.name, '') AS name, coalesce(h.host, '') AS host,
			coalesce(h.pid, 0) AS pid,
			coalesce(h.at > clock_timestamp() - make_interval(secs => $2), false) AS recent
		FROM public.runs r LEFT JOIN spherelab.heartbeat h USING (run_uuid)
		WHERE r.run_uuid = $1 AND r.status = 'RUNNING'`, id, d.t.o.StaleAfter.Seconds())
	if isNoRows(err) {
		return nil, nil
	}
	return &w, fault(err)
}
