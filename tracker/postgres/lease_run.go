package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

// Take attaches a run to the job of a claim. It does not wait until the worker that had the job before is known to be
// dead: that worker may be frozen, and is refused from now on. It must not overwrite files either, so the run gets
// another artifact folder next to the one it had, with copies of its files.
func (d database) Take(ctx context.Context, info tracker.RunInfo, by tracker.Claim) (tracker.Place, error) {
	t := d.t
	before, err := info.ArtifactDir()
	if err != nil {
		return tracker.Place{}, err
	}
	// From here on no other program can write the run, so that the copies fit each other.
	err = t.retry(ctx, "resuming run "+info.ID, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			if by.Run != info.ID { // a run that was started without the job
				if err := t.refuseOther(ctx, tx, info.ID); err != nil {
					return err
				}
			}
			return attach(ctx, tx, by, info.ID)
		})
	})
	if err != nil {
		return tracker.Place{}, err
	}
	dir := folderOf(before, by)
	uri := tracker.FileURI(dir)
	if info.InBucket() {
		uri, err = t.copyInBucket(ctx, info, by, dir)
	} else if err = copyFolder(dir, before); err != nil {
		err = tracker.Errorf(tracker.CodeInternal, err, "copying the artifacts of run %s: %v", info.ID, err)
	}
	if err != nil {
		return tracker.Place{}, errors.Join(err, os.RemoveAll(dir))
	}
	return tracker.Place{ID: info.ID, Dir: dir, URI: uri, InBucket: info.InBucket()}, nil
}

// DropOlder removes the artifact folders that a run had before workers took it over. A worker that was cut off may
// still write into one of them, without any effect.
func (t *Store) DropOlder(ctx context.Context, run tracker.RunInfo) error {
	if run.InBucket() {
		if err := t.removeObjects(ctx, run.ID, run.ArtifactURI, true); err != nil {
			return err
		}
	}
	dir, err := run.ArtifactDir()
	if err != nil {
		return err
	}
	others, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return err
	}
	var errs []error
	for _, other := range others {
		name := other.Name()
		if name != filepath.Base(dir) && (name == "artifacts" || strings.HasPrefix(name, "artifacts-")) {
			errs = append(errs, os.RemoveAll(filepath.Join(filepath.Dir(dir), name)))
		}
	}
	return errors.Join(errs...)
}

// endDead ends a run whose program is dead, unless it had finished: at its last record or heartbeat. Another worker may
// take its job at once.
func endDead(ctx context.Context, tx *sqlx.Tx, c tracker.Claim, run string, last int64) error {
	if err := checkClaim(ctx, tx, c); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE public.runs r SET status = 'FAILED',
			end_time = greatest($2::bigint, r.start_time,
			(SELECT (extract(epoch FROM h.at) * 1000)::bigint FROM spherelab.heartbeat h WHERE h.run_uuid = r.run_uuid))
		WHERE r.run_uuid = $1 AND r.status = 'RUNNING'`, run, last); err != nil {
		return err
	}
	return expire(ctx, tx, c)
}
