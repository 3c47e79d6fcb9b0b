package tracker

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
)

// Delete marks a run as deleted, as MLflow does: lists leave it out, and it can be restored. It refuses a run that a
// living program writes with CodeBusy.
func (t *Tracker) Delete(ctx context.Context, id string) error {
	if err := t.refuseLive(ctx, id); err != nil {
		return err
	}
	return t.setStage(ctx, id, "active", "deleted")
}

// Restore undoes Delete. A run of which Purge has begun to remove files is an Error with CodeConflict.
func (t *Tracker) Restore(ctx context.Context, id string) error {
	return t.setStage(ctx, id, "deleted", "active")
}

func (t *Tracker) setStage(ctx context.Context, id, from, to string) error {
	if t.remote != nil {
		return t.remote.setStage(ctx, id, to)
	}
	return t.retry(ctx, "changing run "+id, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			var deleted *int64
			if to == "deleted" {
				now := time.Now().UnixMilli()
				deleted = &now
			}
			res, err := tx.ExecContext(ctx, `UPDATE public.runs SET lifecycle_stage = $2, deleted_time = $3
				WHERE run_uuid = $1 AND lifecycle_stage = $4`, id, to, deleted, from)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil {
				return err
			} else if n == 0 {
				return errorf(CodeNotFound, nil, "there is no %s run %s", from, id)
			}
			return refusePurged(ctx, tx, id)
		})
	})
}

// refusePurged is an error with CodeConflict if files of a run may be gone. The transaction has locked the run's row.
func refusePurged(ctx context.Context, tx *sqlx.Tx, id string) error {
	var purging bool
	err := tx.GetContext(ctx, &purging, `SELECT EXISTS (SELECT FROM public.tags WHERE run_uuid = $1 AND key = $2)`, id,
		tagPurging)
	if err == nil && purging {
		err = errorf(CodeConflict, nil, "run %s was partly purged and cannot be restored; purge it again", id)
	}
	return err
}

// refuseLive is an error with CodeBusy if a living program writes the run. Such a program holds the spool's lock in
// this data directory, or has a recent heartbeat and is on another machine or a process of this one. Runs of other
// tools have neither and are never refused.
func (t *Tracker) refuseLive(ctx context.Context, id string) error {
	if t.remote != nil { // only the programs of this machine are known
		s, _, err := openSpool(spoolPath(t.o.DataDir, id, claim{}))
		if errors.Is(err, errLocked) {
			return errorf(CodeBusy, nil, "run %s is being written by another program on this machine; end it first", id)
		}
		if err == nil {
			return wrap(s.close(), "closing a spool")
		}
		return nil
	}
	var run struct {
		Name, Host string
		PID        int
		Recent     bool
	}
	err := t.retry(ctx, "looking at run "+id, func(ctx context.Context) error {
		return t.db.GetContext(ctx, &run, `SELECT coalesce(r.name, '') AS name, coalesce(h.host, '') AS host,
				coalesce(h.pid, 0) AS pid,
				coalesce(h.at > clock_timestamp() - make_interval(secs => $2), false) AS recent
			FROM public.runs r LEFT JOIN spherelab.heartbeat h USING (run_uuid)
			WHERE r.run_uuid = $1 AND r.status = 'RUNNING'`, id, t.o.StaleAfter.Seconds())
	})
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	busy := errorf(CodeBusy, nil, "run %s (%s) is being written by process %d on %s; end that program first",
		id, run.Name, run.PID, run.Host)
	s, _, err := openSpool(spoolPath(t.o.DataDir, id, claim{}))
	switch {
	case errors.Is(err, errLocked):
		return busy
	case err == nil: // the spool is not locked, so its program is dead
		return wrap(s.close(), "closing a spool")
	}
	if !run.Recent {
		return nil
	}
	if hostname() != run.Host || alive(run.PID) {
		return busy
	}
	return nil
}

// alive reports whether this machine has a process of that number.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
