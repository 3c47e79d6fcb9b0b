package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
)

// stagedRun is a locked row of a run.
type stagedRun struct {
	ID    string `db:"run_uuid"`
	Stage string
	At    int64 // when it was deleted, in Unix milliseconds
}

// changeRuns locks the rows of runs and changes them in one transaction. Missing runs are not in what it passes on.
func (t *Store) changeRuns(ctx context.Context, ids []string, do func(*sqlx.Tx, []stagedRun) error) error {
	return t.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := forgetSummary(ctx, tx, ids...); err != nil {
			return err
		}
		var runs []stagedRun
		// Requests that share runs wait for each other in the order of the ids, so they cannot deadlock.
		if err := tx.SelectContext(ctx, &runs, `SELECT run_uuid, coalesce(lifecycle_stage, 'active') AS stage,
				coalesce(deleted_time, 0) AS at
			FROM public.runs WHERE run_uuid = ANY($1) ORDER BY run_uuid FOR NO KEY UPDATE`, pq.Array(ids)); err != nil {
			return err
		}
		return do(tx, runs)
	})
}

// checkStages returns why one of the runs cannot be changed.
func checkStages(ids []string, runs []stagedRun) error {
	stages := make(map[string]string, len(runs))
	for _, r := range runs {
		stages[r.ID] = r.Stage
	}
	for _, id := range ids {
		if err := checkStage(id, stages[id]); err != nil {
			return err
		}
	}
	return nil
}

// DeleteRuns deletes runs as MLflow does, all or none. It returns the time of the deletion in Unix milliseconds, which
// no other deletion has, so that UndoDeletion finds its runs. It does not look for programs that write the runs.
func (t *Store) DeleteRuns(ctx context.Context, ids []string) (at int64, err error) {
	at = time.Now().UnixMilli()
	err = t.retry(ctx, "deleting runs", func(ctx context.Context) error {
		return t.changeRuns(ctx, ids, func(tx *sqlx.Tx, runs []stagedRun) error {
			for i := range runs {
				if runs[i].Stage == "deleted" && runs[i].At == at { // an earlier try was committed
					runs[i].Stage = "active"
				}
			}
			if err := checkStages(ids, runs); err != nil {
				return err
			}
			if err := tx.GetContext(ctx, &at, `SELECT CASE WHEN EXISTS (SELECT FROM public.runs
					WHERE deleted_time = $1 AND NOT run_uuid = ANY($2))
				THEN (SELECT max(deleted_time) + 1 FROM public.runs) ELSE $1 END`, at, pq.Array(ids)); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `UPDATE public.runs SET lifecycle_stage = 'deleted', deleted_time = $2
				WHERE run_uuid = ANY($1)`, pq.Array(ids), at)
			return err
		})
	})
	return at, err
}

// RestoreRuns restores deleted runs, all or none. Runs that are not deleted stay as they are. A run that is missing is
// an Error with CodeNotFound, and one of which Purge has begun to remove files one with CodeConflict.
func (t *Store) RestoreRuns(ctx context.Context, ids []string) error {
	return t.retry(ctx, "restoring runs", func(ctx context.Context) error {
		return t.changeRuns(ctx, ids, func(tx *sqlx.Tx, runs []stagedRun) error {
			there := make(map[string]bool, len(runs))
			for _, run := range runs {
				there[run.ID] = true
			}
			for _, id := range ids {
				if !there[id] {
					return checkStage(id, "")
				}
				if err := refusePurged(ctx, tx, id); err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, `UPDATE public.runs SET lifecycle_stage = 'active', deleted_time = NULL
				WHERE run_uuid = ANY($1) AND lifecycle_stage = 'deleted'`, pq.Array(ids))
			return err
		})
	})
}

// Deletion returns the ids of the runs that were deleted at a time, which DeleteRuns returns, and are still deleted.
func (t *Store) Deletion(ctx context.Context, at int64) (ids []string, err error) {
	err = t.retry(ctx, "reading deleted runs", func(ctx context.Context) error {
		ids = nil
		return t.db.SelectContext(ctx, &ids, `SELECT run_uuid FROM public.runs WHERE lifecycle_stage = 'deleted'
			AND deleted_time = $1 ORDER BY run_uuid`, at)
	})
	return ids, err
}

// MoveRuns moves runs to an experiment, all or none, and creates it if there is none of this name. Their artifacts stay
// where they are.
func (t *Store) MoveRuns(ctx context.Context, ids []string, experiment string) error {
	if err := tracker.CheckText("the name of experiment", experiment, experiment, tracker.MaxExperiment); err != nil {
		return err
	}
	return t.retry(ctx, "moving runs", func(ctx context.Context) error {
		return t.changeRuns(ctx, ids, func(tx *sqlx.Tx, runs []stagedRun) error {
			if err := checkStages(ids, runs); err != nil {
				return err
			}
			to, err := t.experimentID(ctx, tx, experiment)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `UPDATE public.runs SET experiment_id = $2 WHERE run_uuid = ANY($1)`,
				pq.Array(ids), to)
			return err
		})
	})
}
