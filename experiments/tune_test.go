package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// tunedConfig tunes ULTRA to a graph, for so many epochs.
func tunedConfig(graph string, epochs int) *config.Config {
	cfg := runtest.SmallConfig(graph)
	cfg.Model, cfg.Eval.Calibrate, cfg.EarlyStop = sphere.Ultra50G, true, config.EarlyStop{Patience: 2}
	cfg.Inductive = config.Inductive{Heads: config.BestHeads, Epochs: epochs, Steps: 3, Batch: 4, Negatives: 5,
		LearningRate: .003}
	return cfg
}

// TestTuningIsARunLikeOthers tunes public weights: the epochs are logged, the best weights are kept, and a reproduction
// and runs that were interrupted at three places have the same numbers.
func TestTuningIsARunLikeOthers(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	dirs := []string{filepath.Dir(filepath.Dir(graphtest.File(t, "ultra/ultra_50g.pth")))}
	r := &Runner{Tracker: tr, DataDirs: dirs}
	graph := runtest.CircleGraph(t, 60)
	first, err := r.Train(ctx, runtest.Checked(t, tunedConfig(graph, 4)))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, first.RunID)
	expect.NoError(t, err)
	points, err := tr.History(ctx, first.RunID, "valid/mrr")
	expect.NoError(t, err)
	best := points[0]
	for _, p := range points[1:] {
		if p.Value > best.Value {
			best = p
		}
	}
	losses, err := tr.History(ctx, first.RunID, "loss")
	if err != nil || len(losses) != first.Epochs || len(points) != first.Epochs+1 || points[0].Step != 0 {
		t.Errorf("%d epochs, losses %v, validations %v, %v", first.Epochs, losses, points, err)
	}
	if best.Step == 0 {
		t.Errorf("no epoch is better than none: %v", points)
	}
	if info.Tags[answer.TagBestEpoch] != fmt.Sprint(best.Step) || info.Tags[answer.TagHeads] == "" {
		t.Errorf("best of %v: tags %v", points, info.Tags)
	}
	if logged := answer.ReadLogged(info); !logged.HasEpochs() || logged.Title() != "ULTRA 50g, tuned" ||
		!strings.Contains(info.Name, "tuned") {
		t.Errorf("%s, %s", info.Name, logged.Title())
	}
	dir, err := info.ArtifactDir()
	for _, name := range []string{answer.TuningFile, answer.TunedFile} {
		if err != nil || filekind.IsFile(filepath.Join(dir, name)) {
			t.Errorf("a finished run keeps %s, %v", name, err)
		}
	}
	want := runtest.Logged(t, tr, first.RunID)
	reproduced, err := r.Reproduce(ctx, info, ReproduceOptions{Threads: 3})
	if err != nil || reproduced.Digest != first.Digest || !maps.Equal(runtest.Logged(t, tr, reproduced.RunID), want) {
		t.Errorf("its reproduction has other numbers, %v", err)
	}
	run, err := answer.Open(ctx, tr, first.RunID, nil)
	if err != nil || run.Model.Digest() != first.Digest || !strings.Contains(run.Title(), "tuned") {
		t.Errorf("opened with another digest, %v", err)
	}
	for name, at := range map[string]progress.Event{"before": {Event: progress.Validated},
		"first":  {Event: progress.EpochDone, Epoch: 1},
		"second": {Event: progress.Saved, Epoch: 2}} {
		checkStoppedTuning(t, r, tunedConfig(graph, 4), name, at, 0, first.Digest, want)
	}
	checkStoppedTuning(t, r, tunedConfig(graph, 4), "between steps", progress.Event{Event: progress.Saved, Epoch: 1}, 10,
		first.Digest, want)
}

// countdown is a context that ends after it was asked so many times whether it has, from when it is armed on.
type countdown struct {
	context.Context
	end   func()
	armed atomic.Bool
	left  atomic.Int32
}

func (c *countdown) Err() error {
	if c.armed.Load() && c.left.Add(-1) <= 0 {
		c.end()
	}
	return c.Context.Err()
}

// checkStoppedTuning interrupts a run at an event, or where later is not 0 between two of the steps that follow, and
// resumes it. After the last step of an epoch the state is saved, although the epoch is not validated.
func checkStoppedTuning(t *testing.T, r *Runner, cfg *config.Config, name string, at progress.Event, later int32,
	digest string, want map[string]float64) {
	t.Helper()
	inner, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopped := &countdown{Context: inner, end: cancel}
	stopped.left.Store(later)
	watched := &Runner{Tracker: r.Tracker, DataDirs: r.DataDirs, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == at.Event && e.Epoch == at.Epoch {
			stopped.armed.Store(true)
			if later == 0 {
				cancel()
			}
		}
	})}
	cfg.Name = "stopped-" + name
	if _, err := watched.Train(stopped, runtest.Checked(t, cfg)); err == nil || !strings.Contains(err.Error(), "was interrupted") {
		t.Fatalf("%s: interrupted: %v", name, err)
	}
	if later > 0 || at.Event == progress.EpochDone {
		info, err := r.Tracker.FindRun(context.Background(), cfg.Name)
		expect.NoError(t, err)
		dir, err := info.ArtifactDir()
		expect.NoError(t, err)
		var state tuning
		raw, err := os.ReadFile(filepath.Join(dir, answer.TuningFile))
		if err != nil || json.Unmarshal(raw, &state) != nil || state.Epoch != at.Epoch ||
			(state.Loss != 0) != (later > 0) || state.Open != (later == 0) {
			t.Errorf("%s: epoch %d, loss %g, open %v, %v", name, state.Epoch, state.Loss, state.Open, err)
		}
	}
	resumed, err := r.Resume(context.Background(), cfg.Name, config.Layers{})
	expect.NoError(t, err)
	if resumed.Digest != digest || !maps.Equal(runtest.Logged(t, r.Tracker, resumed.RunID), want) {
		t.Errorf("%s: after an interruption it has other numbers", name)
	}
}

// TestBestHeads: heads are asked for in the way that is best on all validation facts, and the run says which that is.
func TestBestHeads(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	dirs := []string{filepath.Dir(filepath.Dir(graphtest.File(t, "ultra/ultra_50g.pth")))}
	r := &Runner{Tracker: tr, DataDirs: dirs}
	graph := runtest.CircleGraph(t, 40)
	mrr := map[string]float64{}
	for _, h := range append(sphere.Heads(), config.BestHeads) {
		cfg := tunedConfig(graph, 0)
		cfg.Inductive.Heads = h
		result, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		info, err := tr.FindRun(ctx, result.RunID)
		expect.NoError(t, err)
		mrr[h] = info.Metrics[mrrKey]
		if said := info.Tags[answer.TagHeads]; mrr[said] != mrr[h] {
			t.Errorf("%s: the run says %q; MRR %v", h, said, mrr)
		}
	}
	maximum := max(mrr["inverse"], mrr["direct"], mrr["both"])
	if mrr[config.BestHeads] != maximum || maximum == min(mrr["inverse"], mrr["direct"], mrr["both"]) {
		t.Errorf("MRR %v", mrr)
	}
}

// TestTuningKeepsTheFirstWeights: without an epoch that is better than none, the weights are those of the public file.
func TestTuningKeepsTheFirstWeights(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	dirs := []string{filepath.Dir(filepath.Dir(graphtest.File(t, "ultra/ultra_50g.pth")))}
	r := &Runner{Tracker: tr, DataDirs: dirs}
	graph := runtest.CircleGraph(t, 60)
	cfg := tunedConfig(graph, 9)
	cfg.Inductive.LearningRate = .3 // destroys them
	tuned, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	cfg = tunedConfig(graph, 0)
	plain, err := r.Train(ctx, runtest.Checked(t, cfg))
	if err != nil || plain.Digest != tuned.Digest || plain.Epochs != 0 || tuned.Epochs != 2 {
		t.Errorf("%d epochs, %d without tuning, %v", tuned.Epochs, plain.Epochs, err)
	}
}
