package results

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSweepOverImportedRuns: a sweep exports what it has trained, and where these files are imported its jobs are done.
func TestSweepOverImportedRuns(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	info := trainSmall(t, tr, func(*experiments.Config) {})
	dir, err := info.ArtifactDir()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	content := fmt.Sprintf("runs:\n  - config: %s\n    set: [data=%s]\n    seeds: [42, 7]\n", filepath.Join(dir,
		"config.yaml"), info.Tags[experiments.TagSource])
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	sweep, err := experiments.LoadSweep(file, experiments.Layers{})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "results")
	var said []string
	o := experiments.SweepOptions{Say: func(line string) { said = append(said, line) },
		Export: func(ctx context.Context, id string) (string, error) { return ExportRun(ctx, tr, id, folder) }}
	for range 2 { // the second time nothing is written
		if err := sweep.Run(ctx, &experiments.Runner{Tracker: tr}, o); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(strings.Join(said, "\n"), ": exported to "+folder); n != 2 {
		t.Errorf("%d exports: %q", n, said)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"+ArchiveEnding))
	var exported []ArchiveFile
	for _, file := range files {
		list, err := OpenArchives(file)
		if err != nil {
			t.Fatal(err)
		}
		exported = append(exported, list...)
	}
	if done, err := Import(ctx, tr, exported); err != nil || len(done) != 2 || slices.ContainsFunc(done,
		func(d Imported) bool { return !d.Skipped }) {
		t.Errorf("the exports are not the runs: %+v, %v", done, err)
	}

	other := &experiments.Runner{Tracker: trackertest.OpenWith(t, trackertest.Database(t),
		tracker.Options{DataDir: t.TempDir()})}
	if _, err := Import(ctx, other.Tracker, exported); err != nil {
		t.Fatal(err)
	}
	said, o.Export = nil, nil
	if err := sweep.Run(ctx, other, o); err != nil || len(said) != 2 || !strings.Contains(said[1], ", imported)") {
		t.Errorf("a sweep over imported runs: %v, %q", err, said)
	}
	list, err := sweep.Status(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	if text := gridText(t, SweepGrid(list, nil), "text"); !strings.Contains(text, "done (imported)") ||
		!strings.Contains(text, "2 of 2 done, 0 started, 0 missing") {
		t.Errorf("status:\n%s", text)
	}
}
