package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestAnswering: a graph without a run gets the best one of three models that need no training, and keeps it; a
// trained run that is better takes over, one that is worse does not; a file that has changed is another graph.
func TestAnswering(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	r := &Runner{Tracker: tr, DataDirs: []string{t.TempDir()}}
	graph := runtest.CircleGraph(t, 100)
	l := config.Layers{Set: []string{"train.steps=3000", "eval.bootstrap=0"}}
	first, err := r.Answerer(ctx, l, graph, nil)
	expect.NoError(t, err)
	if !first.Made || first.Runs != 3 || first.Lack == nil || !strings.Contains(first.Lack.Error(), sphere.Ultra50G) {
		t.Errorf("first: made now %t, %d runs, lack %v", first.Made, first.Runs, first.Lack)
	}
	mrr := map[string]float64{}
	want := sphere.Neighbours
	for _, model := range []string{sphere.Neighbours, sphere.Rules, sphere.OwnInductive} {
		run, err := tr.FindRun(ctx, filepath.Base(graph)+"-"+model+"-clean")
		expect.NoError(t, err)
		mrr[model] = run.Metrics["valid/mrr"]
		if mrr[model] > mrr[want] {
			want = model
		}
	}
	if mrr[sphere.Neighbours] == mrr[sphere.Rules] || !strings.Contains(first.Run.Name, want) {
		t.Errorf("%s answers, MRR %v", first.Run.Name, mrr)
	}
	for _, change := range []struct {
		epochs int
		takes  bool
	}{{1, false}, {200, true}} {
		cfg := runtest.SmallConfig(graph)
		cfg.Train.Epochs, cfg.Dimension, cfg.Eval.Every = change.epochs, 32, change.epochs
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		found, err := r.Answerer(ctx, l, graph, nil)
		expect.NoError(t, err)
		if found.Made || (found.Run.ID == trained.RunID) != change.takes {
			t.Errorf("after %d epochs %s answers, MRR %g", change.epochs, found.Run.Name, found.Run.MRR)
		}
	}

	file := filepath.Join(t.TempDir(), "family.csv")
	write := func(n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "p%d,child_of,p%d\n", i, i/2+n)
		}
		expect.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	for i, n := range []int{20, 20, 22} { // fewer than 50 facts: nothing is held out
		write(n)
		found, err := r.Answerer(ctx, l, file, nil)
		expect.NoError(t, err)
		if found.Made != (i != 1) || found.Runs != 1 || !strings.Contains(found.Run.Name, sphere.Neighbours) {
			t.Errorf("file of %d facts, time %d: %s answers of %d, made now %t", n, i+1, found.Run.Name, found.Runs, found.Made)
		}
	}
}

// TestAnsweringWithWeights: where the weights are, their model is tried once on a graph that only models know which
// need none.
// That it answers is said only where it is the best.
func TestAnsweringWithWeights(t *testing.T) {
	t.Parallel()
	weights := graphtest.File(t, "ultra/ultra_50g.pth")
	ctx, tr := t.Context(), trackertest.Open(t)
	graph := runtest.CircleGraph(t, 60)
	l := config.Layers{Set: []string{"train.steps=3000", "eval.bootstrap=0"}}
	bare := &Runner{Tracker: tr, DataDirs: []string{t.TempDir()}}
	if _, err := bare.Answerer(ctx, l, graph, nil); err != nil {
		t.Fatal(err)
	}
	r := &Runner{Tracker: tr, DataDirs: []string{filepath.Dir(filepath.Dir(weights))}}
	for i := range 2 {
		found, err := r.Answerer(ctx, l, graph, nil)
		expect.NoError(t, err)
		all, err := tr.Runs(ctx, tracker.Filter{Params: map[string]string{"model": sphere.Ultra50G}})
		expect.NoError(t, err)
		// The mined rules of a circle are never wrong, so the new run is not better.
		if found.Made || found.Runs != 4 || found.Lack != nil || found.Run.MRR != 1 || len(all) != 1 {
			t.Errorf("time %d: %s answers of %d, made now %t, lack %v; %d runs with the weights", i+1, found.Run.Name,
				found.Runs, found.Made, found.Lack, len(all))
		}
	}
}

// TestAnswererOfKeptModel: a run is judged by the model that it has kept, not by its last validation.
func TestAnswererOfKeptModel(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	graph := runtest.CircleGraph(t, 100)
	cfg := runtest.SmallConfig(graph)
	cfg.Dimension, cfg.Train.Epochs, cfg.Eval.Every, cfg.Train.LearningRate = 8, 2000, 1, .3
	cfg.EarlyStop = config.EarlyStop{Metric: "valid/mrr", Patience: 2}
	trained, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	points, err := tr.History(ctx, trained.RunID, "valid/mrr")
	expect.NoError(t, err)
	best, last := 0.0, points[len(points)-1].Value
	for _, p := range points {
		best = max(best, p.Value)
	}
	if best <= last {
		t.Fatalf("the last validation is the best one, %g", last)
	}
	found, err := r.Answerer(ctx, config.Layers{}, graph, nil)
	expect.NoError(t, err)
	if found.Run.ID != trained.RunID || found.Run.MRR != best {
		t.Errorf("MRR %g, want %g; the last is %g", found.Run.MRR, best, last)
	}
}

// TestAnswererMakesNothing for questions that the graph cannot answer, and where damaged weights are all that is new.
func TestAnswererMakesNothing(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	graph := runtest.CircleGraph(t, 60)
	l := config.Layers{Set: []string{"train.steps=3000", "eval.bootstrap=0"}}
	dir := t.TempDir()
	expect.NoError(t, os.MkdirAll(filepath.Join(dir, "ultra"), 0o750))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "ultra", "ultra_50g.pth"), []byte("cut"), 0o600))
	r := &Runner{Tracker: tr, DataDirs: []string{dir}}
	refused := errors.New("no such entity")
	if _, err := r.Answerer(ctx, l, graph, func(*kg.Graph) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("%d runs for a name that is not there, %v", len(runs), err)
	}
	for i := range 2 {
		found, err := r.Answerer(ctx, l, graph, nil)
		expect.NoError(t, err)
		if found.Made != (i == 0) || found.Runs != 3 || (found.Lack != nil) != (i == 0) {
			t.Errorf("time %d, with damaged weights: made now %t, %d runs, lack %v", i+1, found.Made, found.Runs, found.Lack)
		}
		if found.Lack != nil && !strings.Contains(found.Lack.Error(), "remove the file") {
			t.Error(found.Lack)
		}
	}
}
