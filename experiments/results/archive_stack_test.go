package results

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestStackTravels: a stack with trees goes to a file and to another tracker without losing a number, and a stack that
// is fitted again there is verified against the file. A stack without trees is not the same.
func TestStackTravels(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &experiments.Runner{Tracker: tr}
	var ids []string
	var data string
	for _, model := range []string{sphere.SpherE2D, sphere.TransE} {
		info := trainSmall(t, tr, func(c *config.Config) {
			if data != "" {
				c.Data = data
			}
			data, c.Model, c.Eval.Every = c.Data, model, 0
		})
		ids = append(ids, info.ID)
	}
	stack := func(trees bool) Run {
		t.Helper()
		made, err := r.Stack(ctx, ids, experiments.StackOptions{Trees: trees})
		expect.NoError(t, err)
		info, err := tr.FindRun(ctx, made.RunID)
		expect.NoError(t, err)
		return Read(info)
	}
	first, plain := stack(true), stack(false)
	archive, err := ArchiveRun(ctx, tr, first.Stored)
	expect.NoError(t, err)
	raw, err := archive.Bytes()
	expect.NoError(t, err)
	file := filepath.Join(t.TempDir(), archive.FileName())
	expect.NoError(t, os.WriteFile(file, raw, 0o644))

	again, err := r.Reproduce(ctx, first.Stored, experiments.ReproduceOptions{Threads: 2})
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, again.RunID)
	expect.NoError(t, err)
	twin, err := FileTwin(file, Read(info))
	expect.NoError(t, err)
	v, err := VerifyRun(ctx, tr, Read(info), Read(twin.Info), twin.Archive)
	if err != nil || v.Equal < 100 || len(v.Differences) > 0 || len(v.Unlogged) > 0 {
		t.Errorf("fitted again and exported: %d equal, differences %q, %q, %v", v.Equal, v.Differences, v.Unlogged, err)
	}
	v, err = VerifyRun(ctx, tr, plain, Read(twin.Info), twin.Archive)
	if err != nil || len(v.Differences) == 0 {
		t.Errorf("a stack without trees: %d equal, no difference, %v", v.Equal, err)
	}

	files, err := OpenArchives(file)
	expect.NoError(t, err)
	elsewhere := trackertest.Open(t)
	if _, err := Import(ctx, elsewhere, files); err != nil {
		t.Fatal(err)
	}
	imported, err := elsewhere.FindRun(ctx, first.Stored.ID)
	expect.NoError(t, err)
	if got := Read(imported); got.Model != "sphere-2d+transe+trees" || got.Checkpoint != first.Checkpoint ||
		len(got.Cuts) != len(first.Cuts) || !Read(imported).Finished() {
		t.Errorf("imported: model %s, checkpoint %s, %d cuts of %d", got.Model, got.Checkpoint, len(got.Cuts),
			len(first.Cuts))
	}
	back, err := ArchiveRun(ctx, elsewhere, imported)
	expect.NoError(t, err)
	if v := Verify(back, archive); v.Equal < 100 || len(v.Differences) > 0 || len(v.Unlogged) > 0 {
		t.Errorf("imported: %d equal, differences %q, %q", v.Equal, v.Differences, v.Unlogged)
	}
}
