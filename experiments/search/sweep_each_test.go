package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSweepTrainsEveryCombination: each multiplies values, seeds and items, and model all is every model.
func TestSweepTrainsEveryCombination(t *testing.T) {
	t.Parallel()
	sweep, err := Load(runtest.WriteSweep(t, "runs:\n  - config: small.yaml\n    seeds: [1, 2]\n"+
		"    each: {gamma: [3, 4], model: [all]}\n"), config.Layers{})
	expect.NoError(t, err)
	var got []string
	for _, job := range sweep.Jobs {
		got = append(got, fmt.Sprintf("%s %v %d", job.Config().Model, job.Config().Gamma, job.Config().Seed))
	}
	var want []string
	for _, gamma := range []int{3, 4} {
		for _, model := range slices.DeleteFunc(sphere.Models(), sphere.IsInductive) {
			for seed := 1; seed <= 2; seed++ {
				want = append(want, fmt.Sprintf("%s %d %d", model, gamma, seed))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("trains %q, want %q", got, want)
	}
	if title := sweep.Jobs[0].Title(); title != "small.yaml, gamma=3, model="+sphere.Models()[0]+", seed 1" {
		t.Errorf("the first is %q", title)
	}
	for runs, want := range map[string]string{
		"runs:\n  - config: small.yaml\n    each: {gamma: []}\n":            "each has no value for gamma",
		"runs:\n  - config: small.yaml\n    each: {gama: [1]}\n":            "unknown key gama",
		"runs:\n  - config: small.yaml\n    each: {gamma: [3, 3]}\n":        "are the same run",
		"runs:\n  - config: small.yaml\n    each: {model: [all, rotate]}\n": "model must be one of",
	} {
		if _, err := Load(runtest.WriteSweep(t, runs), config.Layers{}); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%s: error %v lacks %q", runs, err, want)
		}
	}
}

// TestPatternSweepHasEveryPatternAndModel: five graphs and trainings of each pattern and model that has a criterion of
// its own, all with the same settings.
func TestPatternSweepHasEveryPatternAndModel(t *testing.T) {
	t.Parallel()
	sweep, err := Load(PatternSweep, config.Layers{})
	expect.NoError(t, err)
	counts := map[string]map[uint64]bool{}
	settings := map[string]bool{}
	for _, job := range sweep.Jobs {
		c := job.Config()
		key := c.Data + " " + c.Model
		if counts[key] == nil {
			counts[key] = map[uint64]bool{}
		}
		if c.Seed != c.Split.Seed {
			t.Errorf("%s has training seed %d and graph seed %d", job.Title(), c.Seed, c.Split.Seed)
		}
		counts[key][c.Seed] = true
		c.Data, c.Model, c.Seed, c.Split.Seed = "", "", 0, 0
		settings[c.IdentityHash()] = true
	}
	models := slices.DeleteFunc(sphere.Models(), func(model string) bool {
		return slices.Contains([]string{sphere.DistMult, sphere.ComplEx, sphere.RESCAL, sphere.TransE, sphere.TransEL2,
			sphere.BoxE}, model) ||
			sphere.IsUntrained(model)
	})
	for _, p := range kg.Patterns() {
		for _, model := range models {
			if n := len(counts[p.GraphName()+" "+model]); n != 5 {
				t.Errorf("%s on %s has %d seeds", model, p.GraphName(), n)
			}
		}
	}
	if want := len(kg.Patterns()) * len(models); len(counts) != want || len(settings) != 1 {
		t.Errorf("%d pairs of pattern and model, want %d; %d different settings, want 1", len(counts), want,
			len(settings))
	}
}

func TestPatternGraphsAreTrainedByTheirConfig(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"": "sphere-3d", "model=rotate": "rotate"} {
		l := config.Layers{Set: []string{"train.epochs=7"}}
		if set != "" {
			l.Set = append(l.Set, set)
		}
		configs, err := config.LoadForGraph(l, "pattern-n-n", sphere.SpherE3D)
		expect.NoError(t, err)
		own, err := config.Embedded(config.Pattern)
		expect.NoError(t, err)
		c := configs[0].Config()
		if len(configs) != 1 || c.Data != "pattern-n-n" || c.Model != want || c.Train.Epochs != 7 ||
			c.Dimension != own.Dimension || len(c.Auto()) > 0 {
			t.Errorf("--set %s: %+v", set, c)
		}
	}
	configs, err := config.LoadForGraph(config.Layers{}, "pattern-symmetry", "")
	if err != nil || len(configs) != 2 || configs[0].Config().Model != sphere.RotatE ||
		configs[1].Config().Model != sphere.SpherE2D {
		t.Errorf("without a model: %v, %v", configs, err)
	}
	if data, ok := config.FindGraph("pattern-symmetry", nil); !ok || data != "pattern-symmetry" {
		t.Errorf("pattern-symmetry is the graph %q, %v", data, ok)
	}
}

// TestPatternRunLogsDistractors trains a little: the run logs the share of distractors, its graph is the one of
// split.seed, and its checkpoint is opened with the same graph.
func TestPatternRunLogsDistractors(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	configs, err := config.LoadForGraph(config.Layers{Set: []string{"train.epochs=1", "train.steps=5", "split.seed=3"}},
		"pattern-inversion", sphere.RotatE)
	expect.NoError(t, err)
	result, err := (&experiments.Runner{Tracker: tr}).Train(ctx, configs[0])
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, result.RunID)
	expect.NoError(t, err)
	if _, ok := info.Metrics["test/distractors"]; !ok {
		t.Error("no test/distractors is logged")
	}
	p, _ := kg.FindPattern("pattern-inversion")
	want, err := p.Graph(3)
	expect.NoError(t, err)
	opened, err := answer.Open(ctx, tr, result.RunID, nil)
	expect.NoError(t, err)
	if digest := opened.Graph.Digest(); digest != want.Digest() || info.Params[answer.ParamGraphDigest] != digest {
		t.Errorf("the run's graph has digest %s, %s is logged, want %s", digest, info.Params[answer.ParamGraphDigest],
			want.Digest())
	}
}
