package postgres

import (
	"context"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

// Identity returns which database it is.
func (d database) Identity() tracker.Identity {
	return tracker.Identity{Instance: d.t.instance, Kind: "the database", Where: d.t.where()}
}

// Close ends all connections.
func (d database) Close() error { return d.t.disconnect() }

// Create makes a run with the id that the tracker chose. Its spool exists before its row.
func (d database) Create(ctx context.Context, run tracker.NewRun, named func(id string) error) (tracker.Place, error) {
	t := d.t
	if err := t.bucketWritable(ctx); err != nil {
		return tracker.Place{}, err
	}
	if err := named(run.ID); err != nil {
		return tracker.Place{}, tracker.Errorf(tracker.CodeInternal, err, "creating the run's spool file in %s: %v",
			filepath.Join(t.o.DataDir, "spool"), err)
	}
	at := tracker.Place{ID: run.ID, InBucket: t.inBucket}
	err := t.retry(ctx, "starting a run", func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			experiment, err := t.experimentID(ctx, tx, run.Experiment)
			if err != nil {
				return err
			}
			if at.URI, at.Dir, err = t.newArtifacts(experiment, run.ID); err != nil {
				return err
			}
			if err := insertRun(ctx, tx, run, experiment, at.URI); err != nil {
				return err
			}
			return attach(ctx, tx, run.Claim, run.ID)
		})
	})
	if err != nil {
		return tracker.Place{}, err
	}
	if err := os.MkdirAll(at.Dir, 0o755); err != nil {
		t.markFailed(ctx, run.ID)
		return tracker.Place{}, tracker.Errorf(tracker.CodeInternal, err, "creating the run's artifact folder: %v", err)
	}
	return at, nil
}

// Check returns an error with CodeFenced if another worker has the job of a claim.
func (d database) Check(ctx context.Context, by tracker.Claim) error {
	return fault(d.t.InTx(ctx, func(tx *sqlx.Tx) error { return checkClaim(ctx, tx, by) }))
}
