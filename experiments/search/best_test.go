package search

import (
	"context"
	"errors"
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
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// quick are layers with which all models of a Best are made in a moment.
var quick = config.Layers{Set: []string{"train.epochs=4", "train.save_every=1", "eval.every=2", "dimension=8", "gamma=6",
	"train.steps=40", "eval.bootstrap=20"}}

// TestBestContinues: a stop in a model and one in the stack lose nothing, and what is finished is not made again. The
// stack has the digest that it has without a stop.
func TestBestContinues(t *testing.T) {
	t.Parallel()
	graph := runtest.CircleGraph(t, 100)
	plan := func() *Best {
		b, err := PlanBest(quick, graph, nil, time.Hour, false)
		expect.NoError(t, err)
		return b
	}
	if b := plan(); len(b.Members) != 5 || len(b.Left) > 0 || b.Lack == nil {
		t.Fatalf("%d models, %d left out, lack %v", len(b.Members), len(b.Left), b.Lack)
	}
	ctx, tr := context.Background(), trackertest.Open(t)
	whole, err := plan().Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	expect.NoError(t, err)
	if len(whole) != 6 || !strings.HasSuffix(whole[5].RunName, "-best") || whole[5].Report == nil {
		t.Errorf("%d results, the last %+v", len(whole), whole[len(whole)-1])
	}

	stopped := trackertest.Open(t)
	for i, moment := range []func(progress.Event) bool{
		func(e progress.Event) bool { return e.Event == progress.EpochDone && e.Epoch == 2 },
		func(e progress.Event) bool { return e.Message == progress.Growing && e.Done > 0 },
	} {
		ctx, cancel := context.WithCancel(ctx)
		r := &experiments.Runner{Tracker: stopped, Progress: runtest.Watch(func(e progress.Event) {
			if moment(e) {
				cancel()
			}
		})}
		if _, err := plan().Run(ctx, r, Options{}); err == nil {
			t.Fatalf("stop %d: not stopped", i)
		}
		cancel()
	}
	var said []string
	again, err := plan().Run(ctx, &experiments.Runner{Tracker: stopped}, Options{Say: func(line string) {
		said = append(said, line)
	}})
	expect.NoError(t, err)
	if got, want := again[5].Digest, whole[5].Digest; got != want {
		t.Errorf("stack %s after stops, %s without", got, want)
	}
	if n := strings.Count(strings.Join(said, "\n"), "done already"); n != 5 {
		t.Errorf("%d models are taken as they are, want 5: %q", n, said)
	}
	third, err := plan().Run(ctx, &experiments.Runner{Tracker: stopped}, Options{})
	if err != nil || third[5].RunID != again[5].RunID {
		t.Errorf("the third time: %v, stack %s, want %s", err, third[5].RunID, again[5].RunID)
	}
	runs, err := stopped.Runs(ctx, tracker.Filter{Status: tracker.Finished})
	if err != nil || len(runs) != 6 {
		t.Errorf("%d finished runs, %v", len(runs), err)
	}
}

// TestBestLeavesOut: a model that fails is left out of the stack, and the error comes back where too few are left.
func TestBestLeavesOut(t *testing.T) {
	t.Parallel()
	b, err := PlanBest(quick, runtest.CircleGraph(t, 60), nil, time.Hour, false)
	expect.NoError(t, err)
	for i := range b.Members {
		if b.Members[i].Config().Model == "sphere-2d" {
			c := b.Members[i].Config()
			c.Train.LearningRate, c.Train.Beta2, c.Train.AdamEpsilon = 1000, 1e-9, 1e-30 // diverges
			b.Members[i].Checked = runtest.Checked(t, c)
		}
	}
	ctx, tr := context.Background(), trackertest.Open(t)
	list, err := b.Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	if err != nil || len(list) != 5 {
		t.Fatalf("%d results, %v", len(list), err)
	}
	info, err := tr.FindRun(ctx, list[4].RunID)
	if model := answer.ReadLogged(info).Model; err != nil || strings.Contains(model, "sphere") {
		t.Errorf("stack %s, %v", model, err)
	}
	b.Members = slices.DeleteFunc(b.Members, func(m Member) bool {
		return m.Config().Model == "rules" || m.Config().Model == "inductive" || m.Config().Model == "complex"
	})
	if _, err := b.Run(ctx, &experiments.Runner{Tracker: tr}, Options{}); err == nil || !strings.Contains(err.Error(), "SpherE-2D") {
		t.Errorf("one model alone: %v", err)
	}
}

// TestBestNeedsModels: a finished run whose model is gone, as that of an imported run is, is made again.
func TestBestNeedsModels(t *testing.T) {
	t.Parallel()
	b, err := PlanBest(quick, runtest.CircleGraph(t, 60), nil, time.Second, false)
	expect.NoError(t, err)
	ctx, tr := context.Background(), trackertest.Open(t)
	first, err := b.Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, first[0].RunID)
	expect.NoError(t, err)
	dir, err := info.ArtifactDir()
	if err == nil {
		err = os.Remove(filepath.Join(dir, answer.CountedFile))
	}
	expect.NoError(t, err)
	second, err := b.Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	expect.NoError(t, err)
	if second[0].RunID == first[0].RunID || second[1].RunID != first[1].RunID || second[2].RunID != first[2].RunID {
		t.Errorf("first %s %s %s, second %s %s %s", first[0].RunID, first[1].RunID, first[2].RunID, second[0].RunID,
			second[1].RunID, second[2].RunID)
	}
}

// TestBestOfAChangedFile: a fact that is added during the work ends it before the models are those of two graphs.
func TestBestOfAChangedFile(t *testing.T) {
	t.Parallel()
	graph := runtest.CircleGraph(t, 60)
	b, err := PlanBest(quick, graph, nil, time.Hour, false)
	expect.NoError(t, err)
	ctx, tr := context.Background(), trackertest.Open(t)
	changed := false
	r := &experiments.Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event != progress.RunFinished || changed {
			return
		}
		changed = true
		file, err := os.OpenFile(filepath.Join(graph, "train.txt"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteString("e00\tplus1\te02\n")
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Error(err)
		}
	})}
	list, err := b.Run(ctx, r, Options{})
	if !errors.Is(err, errChanged) || len(list) != 1 {
		t.Errorf("%d results, %v", len(list), err)
	}
}

// TestCostOfRules: of two graphs with as many facts, rules of the denser one have the greater part of the budget.
func TestCostOfRules(t *testing.T) {
	t.Parallel()
	var costs []time.Duration
	for _, entities := range []int{25, 500} {
		var text strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&text, "e%d,r%d,e%d\n", i*7%entities, i*i%13, (i*3+i*i*i%11)%entities)
		}
		data := filepath.Join(t.TempDir(), "own.csv")
		expect.NoError(t, os.WriteFile(data, []byte(text.String()), 0o600))
		b, err := PlanBest(config.Layers{}, data, nil, 0, false)
		expect.NoError(t, err)
		costs = append(costs, b.Members[1].Cost)
		if b.Members[1].Config().Model != sphere.Rules {
			t.Errorf("the second member is %s", b.Members[1].Name)
		}
	}
	if costs[0] < 2*costs[1] {
		t.Errorf("rules take %v of a dense graph and %v of another", costs[0], costs[1])
	}
}

// TestPlanBest: what does not fit into the budget is left out, but never more than leaves two; a larger graph has more.
func TestPlanBest(t *testing.T) {
	t.Parallel()
	small, large := runtest.CircleGraph(t, 50), runtest.CircleGraph(t, 3000)
	plan := func(graph string, budget time.Duration, set ...string) *Best {
		b, err := PlanBest(config.Layers{Set: set}, graph, nil, budget, false)
		expect.NoError(t, err)
		return b
	}
	names := func(list []Member) string {
		var all []string
		for _, m := range list {
			all = append(all, m.Config().Model)
		}
		return strings.Join(all, " ")
	}
	if b := plan(large, time.Second); names(b.Members) != "neighbours inductive" || names(b.Left) != "rules sphere-2d complex" {
		t.Errorf("a second: %s; %s", names(b.Members), names(b.Left))
	}
	if b := plan(large, 10*time.Hour); names(b.Members) != "neighbours rules inductive sphere-2d complex" {
		t.Errorf("ten hours: %s", names(b.Members))
	}
	if a, b := plan(small, 0), plan(large, 0); a.Budget >= b.Budget {
		t.Errorf("budgets %v and %v", a.Budget, b.Budget)
	}
	if b := plan(small, 0, "seed=7", "name=mine"); b.name != "mine" || b.Members[1].Config().Seed != 7 ||
		b.Members[1].Config().Name != "" {
		t.Errorf("name %q, config %+v", b.name, b.Members[1].Config())
	}
	var missing error
	if _, missing = PlanBest(config.Layers{}, filepath.Join(t.TempDir(), "none.csv"), nil, 0, false); missing == nil {
		t.Error("a file that is not there has a plan")
	}
	if _, err := PlanBest(config.Layers{Set: []string{"nonsense=1"}}, small, nil, 0, false); err == nil {
		t.Error("an unknown key has a plan")
	} else if wrong := (*config.Error)(nil); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

// TestCheaperModelFirst: the model that does not fit is the one that costs most, whatever its place. The lists keep the
// order of the stack.
func TestCheaperModelFirst(t *testing.T) {
	t.Parallel()
	graph := runtest.CircleGraph(t, 3000)
	for want, set := range map[string][]string{sphere.ComplEx: {"train.epochs=300", "train.negatives=1"},
		sphere.SpherE2D: {"train.epochs=300", "train.negatives=500", "dimension=4"}} {
		all, err := PlanBest(config.Layers{Set: set}, graph, nil, 10*time.Hour, false)
		expect.NoError(t, err)
		budget := time.Duration(0)
		for _, m := range all.Members {
			if m.Config().Model != want {
				budget += m.Cost
			}
		}
		b, err := PlanBest(config.Layers{Set: set}, graph, nil, budget, false)
		expect.NoError(t, err)
		if len(b.Left) != 1 || b.Left[0].Config().Model != want || b.Members[0].Config().Model != sphere.Neighbours {
			t.Errorf("left out %+v, want %s", b.Left, want)
		}
	}
}
