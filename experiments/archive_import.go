package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/tracker"
)

// ArchiveFile is an archive and the file that it was read from.
type ArchiveFile struct {
	File string
	*Archive
}

// Imported says what became of one file of an import.
type Imported struct {
	File, RunID, RunName string
	Skipped              bool // the tracker has this very run already
}

// OpenArchive reads an exported run from disk.
func OpenArchive(file string) (ArchiveFile, error) {
	f, err := os.Open(file)
	if err != nil {
		return ArchiveFile{}, fmt.Errorf("cannot read the exported run: %w", err)
	}
	defer f.Close()
	a, err := ReadArchive(f, file)
	return ArchiveFile{file, a}, err
}

// SaveArchive writes the archive into the folder, under its own name, at once or not at all, and returns the path.
func SaveArchive(a *Archive, folder string) (string, error) {
	file := filepath.Join(folder, a.FileName())
	return file, SaveArchiveAs(a, file)
}

// SaveArchiveAs writes the archive into a file, at once or not at all.
func SaveArchiveAs(a *Archive, file string) error {
	raw, err := a.Bytes()
	if err == nil {
		err = writeFile(file, raw)
	}
	if err != nil {
		return fmt.Errorf("cannot write the exported run: %w", err)
	}
	return nil
}

// Import puts exported runs into the tracker under their own ids, tagged as imported. All files are compared with what
// the tracker has before anything is written: a run that is there with the same contents is skipped, one with others is
// an error that names the first difference. Each run is written in one transaction.
func Import(ctx context.Context, t *tracker.Tracker, files []ArchiveFile) ([]Imported, error) {
	seen := map[string]ArchiveFile{}
	done := make([]Imported, len(files))
	for i, f := range files {
		done[i] = Imported{File: f.File, RunID: f.Info.ID, RunName: f.Info.Name}
		if other, ok := seen[f.Info.ID]; ok {
			if what := other.difference(f.Archive, other.File, f.File); what != "" {
				return nil, fmt.Errorf("nothing was imported: run %s is in two files: %s", f.Info.ID, what)
			}
			done[i].Skipped = true
			continue
		}
		seen[f.Info.ID] = f
		there, err := sameRun(ctx, t, f)
		if err != nil {
			return nil, fmt.Errorf("nothing was imported: %w", err)
		}
		done[i].Skipped = there
	}
	for i, f := range files {
		if done[i].Skipped {
			continue
		}
		if err := t.ImportRun(ctx, f.Info, f.Points); err != nil {
			return done[:i], errors.Join(fmt.Errorf("%s: %w", f.File, err))
		}
	}
	return done, nil
}

// sameRun reports whether the tracker has the run of a file already; one with other contents is an error.
func sameRun(ctx context.Context, t *tracker.Tracker, f ArchiveFile) (bool, error) {
	for _, deleted := range []bool{false, true} {
		runs, err := t.Runs(ctx, tracker.Filter{IDs: []string{f.Info.ID}, Deleted: deleted})
		if err != nil {
			return false, err
		}
		if len(runs) == 0 {
			continue
		}
		if deleted {
			return false, fmt.Errorf("%s: run %s (%s) is deleted in this tracker; bring it back with: spherelab runs restore %s", f.File, f.Info.ID, f.Info.Name, shortID(f.Info.ID))
		}
		if runs[0].Status != string(tracker.Finished) {
			return false, fmt.Errorf("%s: run %s (%s) is in this tracker with status %s", f.File, f.Info.ID, f.Info.Name, runs[0].Status)
		}
		mine, err := ArchiveRun(ctx, t, runs[0])
		if err != nil {
			return false, err
		}
		if what := f.difference(mine, "the file", "this tracker"); what != "" {
			return false, fmt.Errorf("%s: run %s (%s) is in this tracker with other contents: %s", f.File, f.Info.ID, f.Info.Name, what)
		}
		return true, nil
	}
	return false, nil
}
