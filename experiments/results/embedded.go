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

// EmbeddedResults reads the embedded runs, newest first.
func EmbeddedResults() ([]ArchiveFile, error) {
	return readResults(embeddedResults, ".")
}

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
		a, err := readArchive(bytes.NewReader(raw), "experiments/results/"+entry.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, ArchiveFile{"experiments/results/" + entry.Name(), a})
	}
	slices.SortStableFunc(list, func(a, b ArchiveFile) int {
		return cmp.Or(b.Info.Start.Compare(a.Info.Start), strings.Compare(a.Info.ID, b.Info.ID))
	})
	return list, nil
}

// archivedRuns is a Reader of archives, which are newest first.
type archivedRuns []ArchiveFile

// Runs returns all of them; a filter is not applied.
func (a archivedRuns) Runs(context.Context, tracker.Filter) ([]tracker.RunInfo, error) {
	runs := make([]tracker.RunInfo, len(a))
	for i, f := range a {
		runs[i] = f.Info
	}
	return runs, nil
}

// runs are the archived runs, read.
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
