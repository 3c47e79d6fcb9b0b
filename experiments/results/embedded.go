package results

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

//go:embed *.jsonl.gz
var embeddedResults embed.FS

//go:embed patterns/*.jsonl.gz
var patternFiles embed.FS

//go:embed dimension/*.jsonl.gz
var embeddedDimensions embed.FS

// EmbeddedResults reads the embedded runs on data sets, newest first.
func EmbeddedResults() ([]ArchiveFile, error) {
	return readResults(embeddedResults, ".")
}

// embeddedPatterns reads the embedded runs on generated graphs, newest first.
func embeddedPatterns() ([]ArchiveFile, error) {
	return readResults(patternFiles, patternFolder)
}

// EmbeddedDimensions reads the embedded runs in 2 to 20 dimensions on small graphs, newest first.
func EmbeddedDimensions() ([]ArchiveFile, error) {
	return readResults(embeddedDimensions, "dimension")
}

// FindEmbedded returns the embedded run with an id or the beginning of an id, nil if none or several match.
func FindEmbedded(id string) (*ArchiveFile, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	var found *ArchiveFile
	for _, read := range []func() ([]ArchiveFile, error){EmbeddedResults, EmbeddedDimensions, embeddedPatterns} {
		files, err := read()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Info.ID, id) {
				continue
			}
			if found != nil {
				return nil, nil
			}
			found = &f
		}
	}
	return found, nil
}

// patternFolder is the folder of the runs on generated graphs, and PatternResults the file in the repository.
const (
	patternFolder  = "patterns"
	PatternResults = "experiments/results/patterns/patterns.jsonl.gz"
)

// readResults reads every archive of a folder, newest first. Other files are ignored.
func readResults(files fs.FS, folder string) ([]ArchiveFile, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	var list []ArchiveFile
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), ArchiveEnding) {
			continue
		}
		raw, err := fs.ReadFile(files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		name := path.Join("experiments/results", folder, entry.Name())
		archives, err := readArchives(bytes.NewReader(raw), name)
		if err != nil {
			return nil, err
		}
		for _, a := range archives {
			list = append(list, ArchiveFile{name, a})
		}
	}
	slices.SortStableFunc(list, func(a, b ArchiveFile) int {
		return cmp.Or(b.Info.Start.Compare(a.Info.Start), strings.Compare(a.Info.ID, b.Info.ID))
	})
	return list, nil
}

// archivedRuns is a Reader of archives, which are newest first.
type archivedRuns []ArchiveFile

// Runs returns all runs; it does not apply the filter.
func (a archivedRuns) Runs(context.Context, tracker.Filter) ([]tracker.RunInfo, error) {
	runs := make([]tracker.RunInfo, len(a))
	for i, f := range a {
		runs[i] = f.Info
	}
	return runs, nil
}

// runs returns the archived runs, parsed.
func (a archivedRuns) runs() []Run {
	infos, _ := a.Runs(context.Background(), tracker.Filter{}) // never fails
	return ReadAll(infos)
}

// History returns the values of one metric of a run.
func (a archivedRuns) History(_ context.Context, runID, key string) ([]tracker.Point, error) {
	var points []tracker.Point
	for _, f := range a {
		for _, p := range f.Points {
			if f.Info.ID == runID && p.Key == key {
				points = append(points, p.Point)
			}
		}
	}
	return points, nil
}
