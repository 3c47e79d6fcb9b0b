package postgres

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/internal/storage"
)

// copyOf returns the folder of this machine with its copy of a place. It can be removed while no program uses it.
func (t *Store) copyOf(at bucket.Place) string {
	return filepath.Join(t.o.DataDir, "s3", at.Bucket, filepath.FromSlash(at.Prefix))
}

// ownPlace returns the place of a run's artifacts. Any client may have written the URI. A place outside that of new
// runs is an error, because this program's credentials are not for it.
func (t *Store) ownPlace(uri string) (bucket.Place, error) {
	at, err := bucket.Parse(uri)
	if err == nil && !(t.inBucket && t.place.Has(at)) {
		err = elsewhere(uri)
	}
	return at, err
}

func elsewhere(uri string) error {
	return &bucket.Error{Kind: bucket.Invalid, Text: uri + " is not below the place of this program's artifacts, which " +
		"SPHERELAB_ARTIFACTS names"}
}

// copyOfURI is copyOf for a run's artifacts. ok is false if they are not in the bucket.
func (t *Store) copyOfURI(uri string) (dir string, ok bool) {
	if !t.inBucket || !bucket.Is(uri) {
		return "", false
	}
	at, err := t.ownPlace(uri)
	return t.copyOf(at), err == nil
}

// bucketWritable returns an error if new runs cannot keep their artifacts in the bucket.
func (t *Store) bucketWritable(ctx context.Context) error {
	if !t.inBucket {
		return nil
	}
	s, err := t.storage.Open()
	if err != nil {
		return Wrap(err, "artifacts")
	}
	return t.retry(ctx, "artifacts", func(ctx context.Context) error {
		err := s.Writable(ctx, t.place)
		if storage.IsBucketError(err) && !bucket.Away.Is(err) { // waiting does not help
			return Wrap(err, "artifacts")
		}
		return err
	})
}

// sendFiles puts files of a run into its bucket if the claim to the run is valid. It leaves out files that are gone.
func (t *Store) sendFiles(ctx context.Context, run string, by tracker.Claim, names []string) error {
	var uri string
	err := t.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := checkClaim(ctx, tx, by); err != nil {
			return err
		}
		return tx.GetContext(ctx, &uri, `SELECT coalesce(artifact_uri, '') FROM public.runs WHERE run_uuid = $1`, run)
	})
	if err != nil {
		return err
	}
	at, err := t.ownPlace(uri)
	if err != nil {
		return err
	}
	// Sending a large file takes longer than a run may be silent.
	ctx, stop := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(t.o.HeartbeatEvery):
			}
			_ = t.beat(ctx, run, by) // the next flush notices that a database is away
		}
	})
	defer beating.Wait()
	defer stop()
	return t.storage.Send(ctx, at, t.copyOf(at), names, t.say)
}

// Refresh makes this machine's copy of the artifacts of a run that is resumed here equal to the bucket.
func (d database) Refresh(ctx context.Context, run tracker.RunInfo) error {
	t := d.t
	if !run.InBucket() {
		return nil
	}
	at, err := t.ownPlace(run.ArtifactURI)
	if err == nil {
		err = t.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
			return t.storage.Fetch(ctx, at, run.Folder(), true, t.say)
		})
	}
	if err != nil {
		t.markFailed(ctx, run.ID)
	}
	return Wrap(err, "fetching the artifacts of run "+run.ID)
}

// Objects lists the artifacts that a run has in its bucket, by name. It retries by itself.
func (d database) Objects(ctx context.Context, run tracker.RunInfo) ([]tracker.Object, error) {
	t := d.t
	at, err := t.ownPlace(run.ArtifactURI)
	if err != nil {
		return nil, Wrap(err, "listing the artifacts of run "+run.ID)
	}
	return t.objects(ctx, run.ID, at)
}

func (t *Store) objects(ctx context.Context, run string, at bucket.Place) (list []tracker.Object, err error) {
	err = t.retry(ctx, "listing the artifacts of run "+run, func(ctx context.Context) error {
		s, err := t.storage.Open()
		if err != nil {
			return err
		}
		found, err := s.List(ctx, at)
		list = make([]tracker.Object, len(found))
		for i, o := range found {
			list[i] = tracker.Object(o)
		}
		return err
	})
	return list, err
}

// copyInBucket copies a run's artifacts to a folder of a claim in the bucket, and to dir. It returns their URI.
func (t *Store) copyInBucket(ctx context.Context, run tracker.RunInfo, by tracker.Claim, dir string) (
	uri string, err error,
) {
	from, err := t.ownPlace(run.ArtifactURI)
	if err != nil {
		return "", Wrap(err, "copying the artifacts of run "+run.ID)
	}
	to := bucket.Place{Bucket: from.Bucket, Prefix: filepath.ToSlash(folderOf(filepath.FromSlash(from.Prefix), by))}
	if len(to.URI()) > tracker.MaxArtifactURI {
		return "", tracker.Errorf(tracker.CodeInvalid, nil, "the run's artifact folder %s is too long: MLflow's tables take %d characters",
			to.URI(), tracker.MaxArtifactURI)
	}
	err = copyFolder(dir, run.Folder()) // files that are here need not be fetched
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", tracker.Errorf(tracker.CodeInternal, err, "copying the artifacts of run %s: %v", run.ID, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", tracker.Errorf(tracker.CodeInternal, err, "copying the artifacts of run %s: %v", run.ID, err)
	}
	return to.URI(), t.retry(ctx, "copying the artifacts of run "+run.ID, func(ctx context.Context) error {
		s, err := t.storage.Open()
		if err != nil {
			return err
		}
		if err := s.Copy(ctx, to, from); err != nil {
			return err
		}
		return t.storage.Fetch(ctx, to, dir, true, t.say)
	})
}

// objectsOf returns where all artifact folders of a run are, and the name of the folder of the URI. Any client may have
// written the URI. Only a folder that is named by the run's id is its own; another folder is an error.
func (t *Store) objectsOf(run, uri string) (all bucket.Place, name string, err error) {
	at, err := t.ownPlace(uri)
	if err != nil {
		return at, "", Wrap(err, "removing artifacts of run "+run)
	}
	folder, name := path.Split(at.Prefix)
	if run == "" || !artifactFolder.MatchString(name) || path.Base(folder) != run {
		return at, "", tracker.Errorf(tracker.CodeInvalid, nil, "the artifacts of run %s are at %s, which is not a folder of its own", run,
			at.URI())
	}
	return bucket.Place{Bucket: at.Bucket, Prefix: path.Clean(folder)}, name, nil
}

// removeObjects removes what a run has in its bucket. With older, it keeps the folder of the URI.
func (t *Store) removeObjects(ctx context.Context, run, uri string, older bool) error {
	all, name, err := t.objectsOf(run, uri)
	if err != nil {
		return err
	}
	var keep []string
	if older {
		keep = []string{name}
	}
	return t.retry(ctx, "removing artifacts of run "+run, func(ctx context.Context) error {
		s, err := t.storage.Open()
		if err == nil {
			err = s.RemoveAll(ctx, all, keep...)
		}
		return err
	})
}

// Withdraw removes artifacts of a run, by their names, from its bucket.
func (d database) Withdraw(ctx context.Context, run tracker.RunInfo, names ...string) error {
	at, err := d.t.ownPlace(run.ArtifactURI)
	if err != nil {
		return Wrap(err, "removing artifacts of run "+run.ID)
	}
	s, err := d.t.storage.Open()
	for _, name := range names {
		if err == nil {
			err = s.Remove(ctx, at.Join(name))
		}
	}
	return fault(err)
}

// Fetch downloads the artifacts of a run that are in the bucket. Others stay where they are.
func (d database) Fetch(ctx context.Context, run tracker.RunInfo, only ...string) error {
	if !run.InBucket() {
		return nil
	}
	at, err := d.t.ownPlace(run.ArtifactURI)
	if err != nil {
		return Wrap(err, "fetching the artifacts of run "+run.ID)
	}
	return d.t.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
		return d.t.storage.Fetch(ctx, at, run.Folder(), false, d.t.say, only...)
	})
}
