package results

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSweepOverImportedRuns: a sweep exports what it has trained, and where these files are imported its jobs are done.
func TestSweepOverImportedRuns(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	info := trainSmall(t, tr, func(*config.Config) {})
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	content := fmt.Sprintf("runs:\n  - config: %s\n    set: [data=%s]\n    seeds: [42, 7]\n", filepath.Join(dir,
		"config.yaml"), info.Tags[answer.TagSource])
	expect.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	sweep, err := search.Load(file, config.Layers{})
	expect.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "results")
	var said []string
	o := search.Options{Say: func(line string) { said = append(said, line) },
		Export: func(ctx context.Context, id string) (string, error) { return exportRun(ctx, tr, id, folder) }}
	for range 2 { // the second time nothing is written
		expect.NoError(t, sweep.Run(ctx, &experiments.Runner{Tracker: tr}, o))
	}
	if n := strings.Count(strings.Join(said, "\n"), ": exported to "+folder); n != 2 {
		t.Errorf("%d exports: %q", n, said)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"+ArchiveEnding))
	var exported []ArchiveFile
	for _, file := range files {
		list, err := OpenArchives(file)
		expect.NoError(t, err)
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
	expect.NoError(t, err)
	if text := gridText(t, SweepGrid(list, nil), "text"); !strings.Contains(text, "done (imported)") ||
		!strings.Contains(text, "2 of 2 done, 0 started, 0 missing") {
		t.Errorf("status:\n%s", text)
	}
}

// TestSweepProgress: the status says which job is the best so far, of each graph on its own, and how long the rest
// takes with workers and without.
func TestSweepProgress(t *testing.T) {
	t.Parallel()
	began := time.Now()
	job := func(graph string, seed uint64, state search.State, mrr float64) search.Status {
		c := config.Default()
		c.Data, c.Seed = graph, seed
		s := search.Status{Job: search.Job{Name: "config", Checked: runtest.Checked(t, c)}, State: state}
		if state == search.Done {
			s.Run = tracker.RunInfo{ID: fmt.Sprintf("%s%d-and-more", graph, seed), Status: "FINISHED", Start: began,
				End: began.Add(time.Minute), Metrics: map[string]float64{"valid/mrr": mrr, "test/mrr": 1 - mrr}}
		}
		return s
	}
	list := []search.Status{job("umls", 1, search.Done, .25), job("umls", 2, search.Done, .5),
		job("umls", 3, search.Missing, 0), job("nations", 1, search.Done, .75),
		job("nations", 2, search.Started, 0), job("alone", 1, search.Done, .9)}
	list[1].Run.Tags = map[string]string{answer.TagResumed: "1"}
	list[1].Run.End = began.Add(24 * time.Hour) // it was interrupted for a day, which is not work
	queue := []tracker.Job{
		{Kind: tracker.JobRun, State: tracker.JobDone, Started: began, Ended: began.Add(time.Minute)},
		{Kind: tracker.JobRun, State: tracker.JobDone, Started: began, Ended: began.Add(3 * time.Minute)},
		{Kind: tracker.JobRun, State: tracker.JobRunning}, {Kind: tracker.JobRun, State: tracker.JobWaiting},
		{Kind: tracker.JobRun, State: tracker.JobWaiting}}
	for _, c := range []struct {
		queue []tracker.Job
		wants []string
	}{
		{nil, []string{"4 of 6 done, 1 started, 1 missing", "about 2m0s left, one run after the other"}},
		{queue, []string{"queue: 2 waiting, 1 running, 2 done, 0 failed, 0 canceled; about 6m0s left at this pace"}},
		{queue[3:], []string{"queue: 2 waiting, 0 running, 0 done, 0 failed, 0 canceled\n"}}, // no worker is there
	} {
		text := gridText(t, SweepGrid(list, c.queue), "text")
		for _, want := range append(c.wants, "best so far on umls by valid/mrr, .5000: config, seed 2 (run umls2-an)",
			"best so far on nations by valid/mrr, .7500: config, seed 1 (run nations1)") {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Contains(text, "on alone") {
			t.Errorf("the only job of a graph is the best of it\n%s", text)
		}
	}
}
