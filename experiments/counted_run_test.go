package experiments

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCountedIsARunLikeOthers: a counted model is trained with settings that say nothing of it, evaluated, asked,
// reproduced, interrupted and resumed, and stacked; every time with the same numbers.
func TestCountedIsARunLikeOthers(t *testing.T) {
	t.Parallel()
	checkUntrained(t, sphere.Counted(), nil)
}

// TestInductiveIsARunLikeOthers is the same for inductive models, with public weights.
func TestInductiveIsARunLikeOthers(t *testing.T) {
	t.Parallel()
	file := graphtest.File(t, "ultra/ultra_50g.pth")
	checkUntrained(t, sphere.Inductive(), []string{filepath.Dir(filepath.Dir(file))})
}

// TestInductiveNeedsWeights: without weights no run starts, and the error says how to fetch them.
func TestInductiveNeedsWeights(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 20))
	cfg.Model, cfg.EarlyStop.Metric = sphere.Ultra50G, ""
	_, err := (&Runner{Tracker: tr, DataDirs: []string{t.TempDir()}}).Train(ctx, runtest.Checked(t, cfg))
	if !slices.Contains(hint.Of(err), hint.Hint{Action: hint.FetchGraph, Subject: sphere.Ultra50G}) {
		t.Errorf("error %v", err)
	}
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// checkUntrained trains models without epochs, of which a folder may have the weights.
func checkUntrained(t *testing.T, models, dirs []string) {
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr, DataDirs: dirs}
	graph := runtest.CircleGraph(t, 100)
	counted := func(model string) *config.Config {
		cfg := runtest.SmallConfig(graph)
		cfg.Train.Steps = 3000
		cfg.Model, cfg.Eval.Fit, cfg.Eval.Calibrate, cfg.EarlyStop.Metric = model, true, true, ""
		return cfg
	}
	var ids []string
	for _, model := range models {
		first, err := r.Train(ctx, runtest.Checked(t, counted(model)))
		expect.NoError(t, err)
		ids = append(ids, first.RunID)
		info, err := tr.FindRun(ctx, first.RunID)
		expect.NoError(t, err)
		dir, err := info.ArtifactDir()
		if err != nil || filekind.IsFile(filepath.Join(dir, answer.CountedStateFile)) {
			t.Errorf("a finished run keeps what it would be resumed from, %v", err)
		}
		want := runtest.Logged(t, tr, first.RunID)
		for _, key := range []string{"valid/mrr", "test/mrr", "test/expected-novel/head_f1", "test/fitted-novel/tail_f1",
			"valid/head_ece", "test/tail_brier"} {
			if _, ok := info.Metrics[key]; !ok {
				t.Errorf("%s: %s is not logged", model, key)
			}
		}
		if info.Status != "FINISHED" || info.Params["train.epochs"] != "1" || info.Tags[answer.TagDigest] != first.Digest {
			t.Errorf("%s: status %s, params %v", model, info.Status, info.Params)
		}
		plain := counted(model)
		plain.Dimension, plain.Train.LearningRate, plain.Gamma = 77, .5, 3
		same, err := r.Train(ctx, runtest.Checked(t, plain))
		expect.NoError(t, err)
		again, err := tr.FindRun(ctx, same.RunID)
		hash := info.Params[config.ParamHash]
		if err != nil || again.Params[config.ParamHash] != hash || same.Digest != first.Digest {
			t.Errorf("%s: settings of a training make another model: %v", model, err)
		}
		reproduced, err := r.Reproduce(ctx, info, ReproduceOptions{Threads: 3})
		expect.NoError(t, err)
		if reproduced.Digest != first.Digest || !maps.Equal(runtest.Logged(t, tr, reproduced.RunID), want) {
			t.Errorf("%s: its reproduction has other numbers", model)
		}

		stopped, cancel := context.WithCancel(ctx)
		watched := &Runner{Tracker: tr, DataDirs: dirs, Progress: runtest.Watch(func(e progress.Event) {
			if e.Event == progress.Note {
				cancel()
			}
		})}
		cfg := counted(model)
		cfg.Name = "stopped-" + model
		if _, err := watched.Train(stopped, runtest.Checked(t, cfg)); err == nil || !strings.Contains(err.Error(), "was interrupted") {
			t.Fatalf("%s: interrupted: %v", model, err)
		}
		cancel()
		resumed, err := r.Resume(ctx, cfg.Name, config.Layers{})
		expect.NoError(t, err)
		if resumed.Digest != first.Digest || !maps.Equal(runtest.Logged(t, tr, resumed.RunID), want) {
			t.Errorf("%s: after an interruption it has other numbers", model)
		}

		run, err := answer.Open(ctx, tr, first.RunID, nil)
		expect.NoError(t, err)
		if run.Model.Digest() != first.Digest {
			t.Errorf("%s: opened with another digest", model)
		}
		report, err := run.Evaluate(ctx, answer.EvalOptions{}, progress.Silent{})
		if err != nil || report.Ranking.Both != first.Report.Ranking.Both {
			t.Errorf("%s: evaluated again: %v", model, err)
		}
	}
	stacked, err := r.Stack(ctx, ids, StackOptions{})
	expect.NoError(t, err)
	run, err := answer.Open(ctx, tr, stacked.RunID, nil)
	expect.NoError(t, err)
	report, err := run.Evaluate(ctx, answer.EvalOptions{}, progress.Silent{})
	if err != nil || report.Ranking.Both != stacked.Report.Ranking.Both || run.Model.Digest() != stacked.Digest {
		t.Errorf("the stack that was opened is another one: %v", err)
	}
}
