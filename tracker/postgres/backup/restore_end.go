package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// commit reads the file in one transaction. If it is not committed, nothing remains of the restore.
func (r *reader) commit(ctx context.Context) error {
	tx, err := r.t.DB().BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	var id string // of the transaction
	if err = tx.GetContext(ctx, &id, `SELECT pg_current_xact_id()::text`); err == nil {
		err = r.all(ctx, tx)
	}
	if err != nil {
		err = errors.Join(err, r.undo()) // while the tables are locked
		_ = tx.Rollback()                // the first error counts
		return err
	}
	err = tx.Commit()
	if err == nil {
		return nil
	}
	switch status, unknown := r.outcome(context.WithoutCancel(ctx), id); {
	case unknown != nil:
		return errors.Join(r.unknownEnd(err, unknown), os.RemoveAll(r.stage))
	case status == "committed":
		return nil
	default:
		return errors.Join(err, r.undo())
	}
}

// unknownEnd returns an error that explains what to do about a restore whose commit was not confirmed.
func (r *reader) unknownEnd(lost, unknown error) error {
	remedy := "empty that folder"
	if len(r.spools) > 0 {
		remedy += ", remove " + strings.Join(r.spools, ", ")
	}
	return tracker.Errorf(tracker.CodeUnavailable, lost, "the answer to the end of the restore was lost (%s), and the database cannot be "+
		"asked (%s); its artifacts are in %s: when the database is back, check whether it has runs; if it has none, %s "+
		"and restore again", postgres.DriverText(lost), postgres.DriverText(unknown), r.t.ArtifactRoot(), remedy)
}

// errRunning says that a transaction has not ended.
var errRunning = fmt.Errorf("the transaction has not ended: %w", sql.ErrTxDone)

// outcome returns how a transaction ended whose end was not confirmed: "committed" or "aborted".
func (r *reader) outcome(ctx context.Context, id string) (status string, err error) {
	err = r.t.Repeat(ctx, "asking whether the restore is complete", func(ctx context.Context) error {
		err := r.t.DB().GetContext(ctx, &status, `SELECT coalesce(pg_xact_status($1::xid8), 'aborted')`, id)
		if err == nil && status == "in progress" {
			err = errRunning
		}
		return err
	})
	return status, err
}
