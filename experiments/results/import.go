package results

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// ArchiveFile is an archive and the file that it was read from.
type ArchiveFile struct {
	File string
	*Archive
}

// Imported is the result for one file of an import.
type Imported struct {
	File, RunID, RunName string
	Skipped              bool // the tracker already has this run
}

// OpenArchives reads the exported runs of files, or of all files of folders. Other files of a folder are ignored.
func OpenArchives(names ...string) ([]ArchiveFile, error) {
	return openArchivesUpTo(maxAtOnce, names...)
}

func openArchivesUpTo(limit archiveSize, names ...string) ([]ArchiveFile, error) {
	var list []ArchiveFile
	var size archiveSize
	for _, name := range names {
		files, err := archiveNames(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			runs, more, err := openArchive(file)
			if err != nil {
				return nil, err
			}
			size.bytes, size.records = size.bytes+more.bytes, size.records+more.records
			if size.bytes > limit.bytes || size.records > limit.records {
				return nil, fmt.Errorf("with %s the files have more than %d bytes, unpacked, or %d lines and points, which is "+
					"too much at once; name fewer files", file, limit.bytes, limit.records)
			}
			list = append(list, runs...)
		}
	}
	return list, nil
}

// archiveNames returns the files of exported runs in a folder, or the file itself.
func archiveNames(name string) (files []string, err error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder of exported runs: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ArchiveEnding) {
			files = append(files, filepath.Join(name, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no exported runs: no file in it ends in %s", name, ArchiveEnding)
	}
	return files, nil
}

// openArchive reads the exported runs of a file.
func openArchive(file string) ([]ArchiveFile, archiveSize, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, archiveSize{}, fmt.Errorf("cannot read the exported run: %w", err)
	}
	defer f.Close()
	archives, size, err := readArchivesUpTo(longest, f, file)
	list := make([]ArchiveFile, len(archives))
	for i, a := range archives {
		list[i] = ArchiveFile{file, a}
	}
	return list, size, err
}

// SaveArchive replaces a file by the archive, or leaves it unchanged on an error. It creates the folder.
func SaveArchive(a *Archive, file string) error { return saveArchives(file, a.format(), a) }

// SaveArchives is SaveArchive for several runs in one file, in the order of their names and starts.
func SaveArchives(list []*Archive, file string) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *Archive) int {
		return cmp.Or(strings.Compare(a.Info.Name, b.Info.Name), a.Info.Start.Compare(b.Info.Start),
			strings.Compare(a.Info.ID, b.Info.ID))
	})
	return saveArchives(file, formatOf(list), list...)
}

func saveArchives(file string, format int, list ...*Archive) error {
	var b bytes.Buffer
	err := writeArchives(&b, format, list...)
	raw := b.Bytes()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = atomicfile.Write(file, raw, 0o644)
	}
	if err != nil {
		return fmt.Errorf("cannot write the exported run: %w", err)
	}
	return nil
}

// Import stores exported runs in the tracker under their own ids, tagged as imported. It first compares all files with
// the tracker: a run that is stored already with the same contents is skipped; if the contents differ, the error names
// the first difference and nothing is stored. Each run is stored in one transaction.
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
		store, err := postgres.Of(t)
		if err != nil {
			return done[:i], err
		}
		if err := store.ImportRun(ctx, f.Info, f.Points, f.Relations, f.Results); err != nil {
			return done[:i], fmt.Errorf("%s: %w", f.File, err)
		}
	}
	return done, nil
}

// sameRun reports whether the tracker has the run of a file. A run with other contents is an error.
func sameRun(ctx context.Context, t *tracker.Tracker, f ArchiveFile) (bool, error) {
	title := fmt.Sprintf("run %s (%s)", f.Info.ID, f.Info.Name)
	for _, deleted := range []bool{false, true} {
		runs, err := t.Runs(ctx, tracker.Filter{IDs: []string{f.Info.ID}, Deleted: deleted})
		if err != nil {
			return false, err
		}
		if len(runs) == 0 {
			continue
		}
		if deleted {
			return false, hint.With(fmt.Errorf("%s: %s is deleted in this tracker", f.File, title),
				hint.Hint{Action: hint.RestoreRun, Subject: f.Info.ID})
		}
		if runs[0].Status != string(tracker.Finished) {
			return false, fmt.Errorf("%s: %s is in this tracker with status %s", f.File, title, runs[0].Status)
		}
		mine, err := ArchiveRun(ctx, t, runs[0])
		if err != nil {
			return false, err
		}
		if len(f.Relations) == 0 { // a brief export, or one of an earlier version
			mine.Relations = nil
		}
		if what := f.difference(mine, "the file", "this tracker"); what != "" {
			return false, fmt.Errorf("%s: %s is in this tracker with other contents: %s", f.File, title, what)
		}
		return true, nil
	}
	return false, nil
}

// Exporter returns a function that exports finished runs one after the other, each to a file in the folder, or all to
// one file if the place is named like an archive. It returns the file, "" if it already existed.
func Exporter(t *tracker.Tracker, place string) func(ctx context.Context, runID string) (string, error) {
	if !strings.HasSuffix(place, ArchiveEnding) {
		return func(ctx context.Context, runID string) (string, error) { return exportRun(ctx, t, runID, place) }
	}
	var list []*Archive
	return func(ctx context.Context, runID string) (string, error) {
		info, err := t.FindRun(ctx, runID)
		if err != nil {
			return "", err
		}
		a, err := ArchiveRun(ctx, t, info)
		if err != nil {
			return "", err
		}
		list = append(list, a)
		return place, SaveArchives(list, place)
	}
}

// exportRun writes a finished run to a file in the folder and returns its path, "" if the file already has these bytes.
func exportRun(ctx context.Context, t *tracker.Tracker, id, folder string) (string, error) {
	info, err := t.FindRun(ctx, id)
	if err != nil {
		return "", err
	}
	a, err := ArchiveRun(ctx, t, info)
	if err != nil {
		return "", err
	}
	raw, err := a.Bytes()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, a.FileName())
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, raw) {
		return "", nil
	}
	return file, SaveArchive(a, file)
}
