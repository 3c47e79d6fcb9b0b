package tracker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker/bucket"
)

// choosePlace reads where new runs keep their artifacts.
func (t *Tracker) choosePlace() error {
	if !strings.Contains(t.o.ArtifactDir, "://") {
		return nil
	}
	at, err := bucket.Parse(t.o.ArtifactDir)
	if err != nil {
		return errorf(CodeInvalid, err, "the place of artifacts: %v; it is a folder, or s3://BUCKET/PREFIX", err)
	}
	t.inBucket, t.place = true, at
	return nil
}

// copyOf is the folder of this machine with its copy of a place. It can be removed while no program uses it.
func (t *Tracker) copyOf(at bucket.Place) string {
	return filepath.Join(t.o.DataDir, "s3", at.Bucket, filepath.FromSlash(at.Prefix))
}

// ownPlace is the place of a run's artifacts. Any client may have written the URI, so a place that is not below that of
// new runs is an error: this program's credentials are not for it.
func (t *Tracker) ownPlace(uri string) (bucket.Place, error) {
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

// copyOfURI is copyOf for a run's artifacts; ok is false if they are not in the bucket.
func (t *Tracker) copyOfURI(uri string) (dir string, ok bool) {
	if !t.inBucket || !bucket.Is(uri) {
		return "", false
	}
	at, err := t.ownPlace(uri)
	return t.copyOf(at), err == nil
}

// InBucket reports whether a run's artifacts are in a bucket, so that ArtifactDir is only this machine's copy: files
// that others shall have are published, and what may be missing here is fetched.
func (i RunInfo) InBucket() bool { return i.inBucket }

// InBucket is RunInfo.InBucket for a run in progress.
func (r *Run) InBucket() bool { return r.inBucket }

// bucketWritable is an error if new runs cannot keep their artifacts in the bucket.
func (t *Tracker) bucketWritable(ctx context.Context) error {
	if !t.inBucket {
		return nil
	}
	s, err := t.storage.Open()
	if err != nil {
		return wrap(err, "artifacts")
	}
	return t.retry(ctx, "artifacts", func(ctx context.Context) error {
		err := s.Writable(ctx, t.place)
		if isBucketError(err) && !bucket.Away.Is(err) { // waiting does not help
			return wrap(err, "artifacts")
		}
		return err
	})
}

// sendFiles puts files of a run into its bucket, if the claim to the run is valid. Files that are gone are left out.
func (t *Tracker) sendFiles(ctx context.Context, run string, by claim, names []string) error {
	var uri string
	err := t.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := by.check(ctx, tx); err != nil {
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
	// A large file takes longer than a run may be silent.
	ctx, stop := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(t.o.HeartbeatEvery):
			}
			_ = t.beat(ctx, run, by) // a database that is away is noticed by the next flush
		}
	})
	defer beating.Wait()
	defer stop()
	return t.put(ctx, at, t.copyOf(at), names)
}

// put sends files of a folder in the order of their last mention, which is that of a state and what it needs.
func (t *Tracker) put(ctx context.Context, at bucket.Place, dir string, names []string) error {
	s, err := t.storage.Open()
	if err != nil {
		return err
	}
	for i, name := range names {
		if slices.Contains(names[i+1:], name) {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Size() >= largeFile {
			t.say("sending %s (%.0f MB) to %s", name, float64(info.Size())/1e6, at.URI())
		}
		err = s.Put(ctx, at.Join(name), file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed since
			return err
		}
	}
	return nil
}

// refresh makes this machine's copy of the artifacts of a run that is resumed here the same as the bucket.
func (t *Tracker) refresh(ctx context.Context, run RunInfo) error {
	if !run.inBucket {
		return nil
	}
	at, err := t.ownPlace(run.ArtifactURI)
	if err == nil {
		err = t.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
			return t.get(ctx, at, run.folder, true)
		})
	}
	if err != nil {
		t.markFailed(ctx, run.ID)
	}
	return wrap(err, "fetching the artifacts of run "+run.ID)
}

// get brings the objects of a place that a folder lacks, with changed also those that it has with another content.
// Without names it brings all.
func (t *Tracker) get(ctx context.Context, at bucket.Place, dir string, changed bool, names ...string) error {
	s, err := t.storage.Open()
	if err != nil {
		return err
	}
	list, err := s.List(ctx, at)
	if err != nil {
		return err
	}
	for _, o := range list {
		file := filepath.Join(dir, filepath.FromSlash(o.Name))
		if len(names) > 0 && !slices.Contains(names, o.Name) {
			continue
		}
		if _, err := os.Stat(file); err == nil && (!changed || s.Same(o, file)) {
			continue
		}
		if o.Size >= largeFile {
			t.say("fetching %s (%.0f MB) from %s", o.Name, float64(o.Size)/1e6, at.URI())
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := s.Get(ctx, at.Join(o.Name), file); err != nil && !bucket.Missing.Is(err) { // removed since
			return err
		}
	}
	return nil
}

// Object is an artifact in a bucket. Name is its path in ArtifactDir.
type Object = bucket.Object

// Objects lists the artifacts that a run has in its bucket, by name.
func (t *Tracker) Objects(ctx context.Context, run RunInfo) ([]Object, error) {
	at, err := t.ownPlace(run.ArtifactURI)
	if err != nil {
		return nil, wrap(err, "listing the artifacts of run "+run.ID)
	}
	return t.objects(ctx, run.ID, at)
}

func (t *Tracker) objects(ctx context.Context, run string, at bucket.Place) (list []Object, err error) {
	err = t.retry(ctx, "listing the artifacts of run "+run, func(ctx context.Context) error {
		s, err := t.storage.Open()
		if err == nil {
			list, err = s.List(ctx, at)
		}
		return err
	})
	return list, err
}

// Withdraw removes artifacts of a run, by their names, from its bucket.
func (r *Run) Withdraw(ctx context.Context, names ...string) error {
	if !r.inBucket {
		return nil
	}
	info, err := r.t.FindRun(ctx, r.id)
	if err != nil {
		return err
	}
	at, err := r.t.ownPlace(info.ArtifactURI)
	if err != nil {
		return wrap(err, "removing artifacts of run "+r.id)
	}
	return r.t.retry(ctx, "removing artifacts of run "+r.id, func(ctx context.Context) error {
		s, err := r.t.storage.Open()
		for _, name := range names {
			if err == nil {
				err = s.Remove(ctx, at.Join(name))
			}
		}
		return err
	})
}

// copyInBucket copies a run's artifacts to a folder of a claim in the bucket, and to dir. It returns their URI.
func (t *Tracker) copyInBucket(ctx context.Context, run RunInfo, by claim, dir string) (uri string, err error) {
	from, err := t.ownPlace(run.ArtifactURI)
	if err != nil {
		return "", wrap(err, "copying the artifacts of run "+run.ID)
	}
	to := bucket.Place{Bucket: from.Bucket, Prefix: filepath.ToSlash(folderOf(filepath.FromSlash(from.Prefix), by))}
	if len(to.URI()) > maxArtifactURI {
		return "", errorf(CodeInvalid, nil, "the run's artifact folder %s is too long: MLflow's tables take %d characters",
			to.URI(), maxArtifactURI)
	}
	err = copyFolder(dir, run.folder) // what is here need not be fetched
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errorf(CodeInternal, err, "copying the artifacts of run %s: %v", run.ID, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", errorf(CodeInternal, err, "copying the artifacts of run %s: %v", run.ID, err)
	}
	return to.URI(), t.retry(ctx, "copying the artifacts of run "+run.ID, func(ctx context.Context) error {
		s, err := t.storage.Open()
		if err != nil {
			return err
		}
		if err := s.Copy(ctx, to, from); err != nil {
			return err
		}
		return t.get(ctx, to, dir, true)
	})
}

// objectsOf is where all artifact folders of a run are, and the name of the one of the URI. Any client may have written
// the URI, so only a folder that is named by the run's id is its own; another one is an error.
func (t *Tracker) objectsOf(run, uri string) (all bucket.Place, name string, err error) {
	at, err := t.ownPlace(uri)
	if err != nil {
		return at, "", wrap(err, "removing artifacts of run "+run)
	}
	folder, name := path.Split(at.Prefix)
	if run == "" || !artifactFolder.MatchString(name) || path.Base(folder) != run {
		return at, "", errorf(CodeInvalid, nil, "the artifacts of run %s are at %s, which is not a folder of its own", run,
			at.URI())
	}
	return bucket.Place{Bucket: at.Bucket, Prefix: path.Clean(folder)}, name, nil
}

// removeObjects removes what a run has in its bucket; older keeps the folder of the URI.
func (t *Tracker) removeObjects(ctx context.Context, run, uri string, older bool) error {
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
