package backup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/disk"
)

// stagePrefix begins the name of the folder in which a restore keeps artifacts until it knows that the file is whole.
// It is inside the artifact folder, which may be a mount point, so that they only have to be renamed.
const stagePrefix = ".spherelab-restore-"

// restoreLock is the file in the artifact folder that a restore locks. Databases may share the folder, so the locks of
// their tables do not exclude a second restore.
const (
	restoreLock = ".spherelab-restore.lock"
	lockTries   = 100 // each fails only if another restore ends between two calls
)

// lock takes the lock of an artifact folder. unlock releases it.
func (r *reader) lock(root string) error {
	name := filepath.Join(root, restoreLock)
	for range lockTries {
		f, err := disk.Make(name)
		if err != nil {
			return tracker.Errorf(tracker.CodeInternal, err, "locking the artifact folder: %v", err)
		}
		err = disk.Lock(f)
		var mine os.FileInfo
		if err == nil {
			mine, err = f.Stat()
		}
		if err != nil {
			f.Close()
			if errors.Is(err, disk.ErrLocked) {
				return tracker.Errorf(tracker.CodeConflict, err, "another restore writes to the artifact folder %s; wait until it has ended", root)
			}
			return tracker.Errorf(tracker.CodeInternal, err, "locking %s: %v", name, err)
		}
		if named, err := os.Stat(name); err == nil && os.SameFile(mine, named) {
			r.locked = f
			return nil
		}
		f.Close() // the restore that had the lock has removed the file
	}
	return tracker.Errorf(tracker.CodeConflict, nil, "the file %s does not stay the same; name another artifact folder, on a local disk", name)
}

// unlock removes the lock of a restore.
func (r *reader) unlock() error {
	if r.locked == nil {
		return nil
	}
	err := os.Remove(r.locked.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, r.locked.Close())
}

// openStage makes the folder for artifacts, in an artifact folder without files. The folder is locked, so an existing
// stage belongs to a restore that was killed.
func (r *reader) openStage() error {
	root := r.t.ArtifactRoot()
	if err := os.MkdirAll(root, 0o755); err != nil {
		return tracker.Errorf(tracker.CodeInternal, err, "creating the artifact folder: %v", err)
	}
	if err := r.lock(root); err != nil {
		return err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return tracker.Errorf(tracker.CodeInternal, err, "reading the artifact folder: %v", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), stagePrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, entry.Name())); err != nil {
			return tracker.Errorf(tracker.CodeInternal, err, "removing what a restore left: %v", err)
		}
	}
	if full, err := holdsFiles(root); err != nil || full {
		return errors.Join(err, tracker.Errorf(tracker.CodeConflict, err,
			"the tracker is not empty: there are files in its artifact folder %s; move them away", root))
	}
	if r.stage, err = os.MkdirTemp(root, stagePrefix+"*"); err != nil {
		return tracker.Errorf(tracker.CodeInternal, err, "creating a folder for artifacts: %v", err)
	}
	return nil
}

// holdsFiles reports whether a folder has anything but folders below it. It ignores those of a restore.
func holdsFiles(dir string) (full bool, err error) {
	inside, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	err = filepath.WalkDir(inside, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if name == filepath.Join(inside, restoreLock) {
				return nil
			}
			full = true
			return fs.SkipAll
		case strings.HasPrefix(entry.Name(), stagePrefix), entry.Name() == "lost+found": // of a file system
			return fs.SkipDir
		}
		return nil
	})
	return full, err
}

// placeArtifacts moves the artifacts into their folder. A run without artifacts gets a folder too, which shows that
// they are not on the machine that wrote it.
func (r *reader) placeArtifacts(runs []storedRun) error {
	root, whole := r.t.ArtifactRoot(), filepath.Join(r.stage, runFolder)
	for _, place := range r.tail.Running {
		if !filepath.IsLocal(place) {
			return tracker.Errorf(tracker.CodeInvalid, nil, "the file has a run's folder %q", place)
		}
		r.report.Interrupted++
		target := filepath.Join(whole, place)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		err := os.Rename(filepath.Join(r.stage, runningFolder, place), target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it had no file
			return err
		}
	}
	if err := os.MkdirAll(whole, 0o755); err != nil {
		return err
	}
	elsewhere := map[string]bool{}
	for _, id := range slices.Concat(r.tail.Elsewhere, r.tail.Late) {
		elsewhere[id] = true
	}
	for _, run := range runs {
		place, _ := r.t.PlaceOf(run.URI, run.ID)
		if place == "" || elsewhere[run.ID] {
			continue
		}
		if err := os.MkdirAll(filepath.Join(whole, place, path.Base(run.URI)), 0o755); err != nil {
			return err
		}
	}
	if full, err := holdsFiles(root); err != nil || full {
		return tracker.Errorf(tracker.CodeConflict, err, "there are files in %s now", root)
	}
	return r.moveInto(whole, root)
}

// moveInto moves the contents of a folder into another one, which may contain some of the folders already.
func (r *reader) moveInto(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		if _, err := os.Stat(target); err == nil && entry.IsDir() {
			if err := r.moveInto(source, target); err != nil {
				return err
			}
			continue
		}
		if _, err := os.Lstat(target); err == nil {
			return tracker.Errorf(tracker.CodeConflict, nil, "there is %s now", target)
		}
		if err := os.Rename(source, target); err != nil {
			return err
		}
		r.made = append(r.made, target)
	}
	return disk.SyncDir(to)
}

// undo removes what a failed restore has written outside the database.
func (r *reader) undo() error {
	var errs []error
	if r.stage != "" {
		errs = append(errs, os.RemoveAll(r.stage))
	}
	for _, path := range slices.Concat(r.made, r.spools) {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}
