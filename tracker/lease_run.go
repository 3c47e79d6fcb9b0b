package tracker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jmoiron/sqlx"
)

// ResumeLeased is ResumeRun for the worker that holds the lease of the run's job. It does not wait until the worker
// that had the job before is known to be dead: that one may be frozen, and is refused from now on. So that it does not
// overwrite files either, the run gets another artifact folder beside the one it had, with copies of its files.
func (t *Tracker) ResumeLeased(ctx context.Context, id string, lease *Lease) (*Run, error) {
	info, err := t.FindRun(ctx, id)
	if err != nil {
		return nil, err
	}
	before, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	by := lease.claim()
	// From here on nobody else can write the run, so that what is copied belongs together.
	err = t.retry(ctx, "resuming run "+info.ID, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			if lease.Job.Run != info.ID { // a run that was started without the job
				if err := t.refuseOther(ctx, tx, info.ID); err != nil {
					return err
				}
			}
			return by.attach(ctx, tx, info.ID)
		})
	})
	if err != nil {
		return nil, err
	}
	dir := folderOf(before, by)
	uri := fileURI(dir)
	if info.inBucket {
		uri, err = t.copyInBucket(ctx, info, by, dir)
	} else if err = copyFolder(dir, before); err != nil {
		err = errorf(CodeInternal, err, "copying the artifacts of run %s: %v", info.ID, err)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s, err := createSpool(t.o.DataDir, t.instance, info.ID, by)
	if err != nil {
		return nil, errors.Join(wrap(err, "creating a spool"), os.RemoveAll(dir))
	}
	r := t.newRun(info.ID, info.Name, dir, s)
	r.inBucket = info.inBucket
	err = t.retry(ctx, "resuming run "+info.ID, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := by.check(ctx, tx); err != nil {
				return err
			}
			if err := r.reload(ctx, tx); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, r.id, uri)
			return err
		})
	})
	if err != nil {
		return nil, errors.Join(err, s.remove(), os.RemoveAll(dir))
	}
	r.begin()
	return r, nil
}

// folderOf is the artifact folder of a claim, beside another one of the same run.
func folderOf(other string, by claim) string {
	return filepath.Join(filepath.Dir(other), fmt.Sprintf("artifacts-%d", by.fence))
}

// copyFolder makes a copy of a folder. Files that are unfinished, because they still have a temporary name, are left
// out where they vanish meanwhile.
func copyFolder(to, from string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != from {
			return nil // it was renamed or removed while we looked
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case entry.Type().IsRegular():
			err := copyFile(filepath.Join(to, rel), path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		return nil
	})
	return err
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// DropOlder removes the artifact folders that a run had before workers took it over. A worker that was cut off may
// still write into one of them, to no effect.
func (t *Tracker) DropOlder(ctx context.Context, run RunInfo) error {
	if run.inBucket {
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
func (c claim) endDead(ctx context.Context, tx *sqlx.Tx, run string, last int64) error {
	if err := c.check(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE public.runs r SET status = 'FAILED',
			end_time = greatest($2::bigint, r.start_time,
			(SELECT (extract(epoch FROM h.at) * 1000)::bigint FROM spherelab.heartbeat h WHERE h.run_uuid = r.run_uuid))
		WHERE r.run_uuid = $1 AND r.status = 'RUNNING'`, run, last); err != nil {
		return err
	}
	return c.expire(ctx, tx)
}
