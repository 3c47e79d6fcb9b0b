package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func loadSearch(t *testing.T, file string) *Search {
	t.Helper()
	sweep, err := Load(file, config.Layers{})
	expect.NoError(t, err)
	return sweep.Search
}

// told is a report as text: everything but the ids of runs.
func told(r *Report) string {
	var lines []string
	for _, trial := range r.Trials {
		lines = append(lines, fmt.Sprint(trial.Number, trial.Items, trial.Epochs, trial.Scores, trial.Failed))
	}
	return strings.Join(lines, "\n")
}

// TestSearch: an interrupted search ends like one that was not, the same search again trains nothing, only the best
// trials are trained to the end, and only the best config sees the test triples.
func TestSearch(t *testing.T) {
	t.Parallel()
	ctx, tr, other := context.Background(), trackertest.Open(t), trackertest.Open(t)
	file := runtest.WriteSearch(t, runtest.SmallSearch)
	whole, err := loadSearch(t, file).Run(ctx, &experiments.Runner{Tracker: other}, Options{})
	expect.NoError(t, err)

	started := 0
	stopped, cancel := context.WithCancel(ctx)
	r := &experiments.Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.RunStarted {
			started++
		}
		if started == 4 && e.Event == progress.EpochDone && e.Epoch == 1 {
			cancel()
		}
	})}
	var interrupted *experiments.InterruptedError
	report, err := loadSearch(t, file).Run(stopped, r, Options{})
	if !errors.As(err, &interrupted) || report.Whole || len(report.Trials) != 4 {
		t.Fatalf("interrupted: %v", err)
	}
	if status, err := loadSearch(t, file).Status(ctx, r); err != nil || status.Whole || len(status.Trials) != 4 {
		t.Errorf("status of the interrupted search: %d trials, %v", len(status.Trials), err)
	}
	if report, err = loadSearch(t, file).Run(ctx, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if told(report) != told(whole) || !report.Whole || len(report.Winner) != 1 {
		t.Errorf("after an interrupt\n%s\nwithout one\n%s", told(report), told(whole))
	}
	if started != 8 { // seven trials and the best config
		t.Errorf("%d runs were started", started)
	}
	again, err := loadSearch(t, file).Run(ctx, r, Options{})
	if err != nil || started != 8 || told(again) != told(whole) || !slices.Equal(again.Winner, report.Winner) {
		t.Errorf("the same search again: %d runs, %v\n%s", started, err, told(again))
	}

	var epochs []int
	for i, trial := range report.Trials {
		epochs = append(epochs, trial.Epochs)
		if i > 0 && trial.Epochs == report.Trials[i-1].Epochs && trial.Score() > report.Trials[i-1].Score() {
			t.Errorf("trial %d stands below a worse one", trial.Number)
		}
		for _, id := range trial.Runs {
			info, err := tr.FindRun(ctx, id)
			if err != nil || info.Tags[answer.TagSweep] != "sweep.yaml" || info.Tags[answer.TagTrial] != fmt.Sprint(trial.Number) {
				t.Errorf("run %s has tags %v, %v", id, info.Tags, err)
			}
			for key := range info.Metrics {
				if strings.HasPrefix(key, "test/") {
					t.Fatalf("trial %d was evaluated on the test triples", trial.Number)
				}
			}
			if done := info.Status == string(tracker.Finished); done != (trial.Epochs == 6) {
				t.Errorf("trial %d is %s after %d epochs", trial.Number, info.Status, trial.Epochs)
			}
		}
	}
	runs, err := tr.Runs(ctx, tracker.Filter{})
	if err != nil || len(runs) != 8 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if group := runtest.GroupOf(t, tr, runs); group.Status != "FINISHED" || group.Tags[tagBestRun] != report.Winner[0] {
		t.Errorf("the search's own run is %+v", group)
	}
	if fmt.Sprint(epochs) != "[6 4 4 2 2 2 2]" {
		t.Errorf("epochs %v", epochs)
	}
	winner, err := tr.FindRun(ctx, report.Winner[0])
	if err != nil || winner.Metrics["test/mrr"] == 0 || winner.Params["gamma"] != report.Best.Flatten()["gamma"] {
		t.Errorf("the best run: %v, %v", winner.Params, err)
	}
}

// TestSearchWithSeeds: a score is the mean over the seeds, and a trial whose training diverges comes last, is not
// trained twice and does not stop the search.
func TestSearchWithSeeds(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	file := runtest.WriteSearch(t, "  method: grid\n  set: [train.adam_epsilon=1e-30]\n"+
		"  seeds: [1, 2]\n  metric: valid/mr\n  space:\n"+
		"    train.beta2: [0.999, 0.99, 1e-9]\n")
	started := 0
	r := &experiments.Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.RunStarted {
			started++
		}
	})}
	report, err := loadSearch(t, file).Run(ctx, r, Options{})
	expect.NoError(t, err)
	// The grid's .999 is the config itself, which is not drawn again.
	if len(report.Trials) != 3 || report.Trials[2].Failed != "diverged" || !math.IsNaN(report.Trials[2].Score()) {
		t.Fatalf("trials\n%s", told(report))
	}
	best := report.Trials[0]
	if len(best.Scores) != 2 || best.Score() != (best.Scores[0]+best.Scores[1])/2 || best.Score() > -1 {
		t.Errorf("scores %v", best.Scores)
	}
	points, err := tr.History(ctx, best.Runs[0], "valid/mr")
	if err != nil || -points[len(points)-1].Value != best.Scores[0] {
		t.Errorf("history %v, scores %v, %v", points, best.Scores, err)
	}
	if started != 7 || len(report.Winner) != 2 { // the second seed of the diverged trial is not trained
		t.Errorf("%d runs were started, and %d of the best config", started, len(report.Winner))
	}
	if _, err := loadSearch(t, file).Run(ctx, r, Options{}); err != nil || started != 7 {
		t.Errorf("again: %d runs, %v", started, err)
	}
}

// TestSearchAgain holds that a search that has ended says the same whenever it is looked at: with a limit of hours, to
// which later rungs do not count, and when a trial that had passed a rung diverged later.
func TestSearchAgain(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &experiments.Runner{Tracker: tr}
	s := loadSearch(t, runtest.WriteSearch(t, "  hours: 10\n"+runtest.SmallSearch))
	first, err := s.Run(ctx, r, Options{})
	expect.NoError(t, err)
	// As if epochs after the first rung, 2, had taken 40 hours, and those before it nearly all of the ten.
	for steps, seconds := range map[string]float64{"step <= 2": 3600 * 9.99 / 14, "step > 2": 3600 * 10} {
		if _, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE public.metrics SET value = $1 WHERE key = 'system/epoch_seconds' AND `+steps,
			seconds); err != nil {
			t.Fatal(err)
		}
	}
	again, err := s.Status(ctx, r)
	if err != nil || told(again) != told(first) {
		t.Errorf("looked at again, %v:\n%s\nbefore:\n%s", err, told(again), told(first))
	}
	for _, trial := range first.Trials {
		if trial.Epochs != 4 { // the second rung
			continue
		}
		if _, err := trackertest.StoreOf(t, tr).DB().Exec(`INSERT INTO public.tags (run_uuid, key, value) VALUES ($1, $2, '5')`, trial.Runs[0],
			answer.TagDiverged); err != nil {
			t.Fatal(err)
		}
		again, err = s.Status(ctx, r)
		if err != nil || !again.Whole || told(again) != told(first) {
			t.Errorf("after a trial diverged behind its last rung, %v:\n%s\nbefore:\n%s", err, told(again), told(first))
		}
		return
	}
	t.Error("no trial ended at the second rung")
}

// TestSearchOfEpochs: a trial is trained for as many epochs as it has drawn.
func TestSearchOfEpochs(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	s := loadSearch(t, runtest.WriteSearch(t, "  method: grid\n  space:\n    train.epochs: [4, 8]\n"))
	report, err := s.Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	expect.NoError(t, err)
	want := map[int]int{1: 6, 2: 4, 3: 8} // trial 1 is the config itself
	for i, trial := range report.Trials {
		if i > 0 && trial.Score() > report.Trials[i-1].Score() {
			t.Errorf("trial %d stands below a worse one", trial.Number)
		}
		points, err := tr.History(ctx, trial.Runs[0], "loss")
		if err != nil || trial.Epochs != want[trial.Number] || len(points) != want[trial.Number] {
			t.Errorf("trial %d has %d epochs, %d losses, %v; want %d", trial.Number, trial.Epochs, len(points), err,
				want[trial.Number])
		}
	}
}

// TestConditionalSearch: a key that is right only where another one has some value is drawn there alone.
func TestConditionalSearch(t *testing.T) {
	t.Parallel()
	s := loadSearch(t, runtest.WriteSearch(t, "  set: [train.epochs=2]\n  trials: 8\n  method: sobol\n  space:\n"+
		"    train.loss: [self-adversarial, one-vs-all]\n"+
		"    train.n3: {from: 0.001, to: 0.1, scale: log, when: {train.loss: [one-vs-all]}}\n"+
		"    gamma: {from: 2, to: 8}\n    model: [complex]\n"))
	report, err := s.Run(t.Context(), &experiments.Runner{Tracker: trackertest.Open(t)}, Options{})
	expect.NoError(t, err)
	with := 0
	for _, trial := range report.Trials {
		items := strings.Join(trial.Items, " ")
		if trial.Failed != "" || strings.Contains(items, "n3=") != strings.Contains(items, "=one-vs-all") {
			t.Errorf("trial %d with %s: %s", trial.Number, items, trial.Failed)
		}
		if strings.Contains(items, "n3=") {
			with++
		}
	}
	if with == 0 || with >= len(report.Trials)-1 {
		t.Errorf("%d of %d trials have the key", with, len(report.Trials))
	}
}

// TestSearchThatTheGraphRefuses: what a graph cannot have is an error before anything is trained.
func TestSearchThatTheGraphRefuses(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	s := loadSearch(t, runtest.WriteSearch(t, "  trials: 3\n  space:\n    train.negatives: [4, 30]\n"))
	_, err := s.Run(ctx, &experiments.Runner{Tracker: tr}, Options{})
	if err == nil || !strings.Contains(err.Error(), "search.space has train.negatives=30: ") {
		t.Errorf("error %v", err)
	}
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	space := "  space:\n    gamma: [2, 4]\n"
	for want, text := range map[string]string{
		"search.trials is 0":                         space,
		"search.method is wrong: no method best":     "  method: best\n  trials: 3\n" + space,
		"search.metric is test/mrr, which":           "  metric: test/mrr\n  trials: 3\n" + space,
		"must rise and stay below train.epochs":      "  rungs: [4, 6]\n  trials: 3\n" + space,
		"has 3, where no validation is":              "  rungs: [3]\n  trials: 3\n" + space,
		"exclude each other":                         "  rungs: [2]\n  trials: 3\n  space:\n    train.epochs: [4, 6]\n",
		"search.seeds has 1 twice":                   "  seeds: [1, 1]\n  trials: 3\n" + space,
		"search.batch must be 1 or more":             "  batch: -1\n  trials: 3\n" + space,
		"search.hours must be a number from 0":       "  hours: .nan\n  trials: 3\n" + space,
		"search.hours must be a number":              "  hours: .inf\n  trials: 3\n" + space,
		"search.keep is 1":                           "  keep: 1\n  trials: 3\n" + space,
		"the space has no key":                       "  trials: 3\n",
		"there is no config key gama":                "  trials: 3\n  space:\n    gama: [2]\n",
		"is not searched":                            "  trials: 3\n  space:\n    seed: [2]\n",
		"a search does not tune public weights":      "  trials: 3\n  space:\n    inductive.epochs: [0, 3]\n",
		"search.space has gamma=-2: gamma must":      "  trials: 3\n  space:\n    gamma: [2, -2]\n",
		"search.space has dimension: dimension is a": "  trials: 3\n  space:\n    dimension: {from: 4.5, to: 8}\n",
		"it has values and a range":                  "  trials: 3\n  space:\n    gamma: {values: [2], from: 1, to: 3}\n",
		"give from and to":                           "  trials: 3\n  space:\n    gamma: {from: 1}\n",
		"is not a number; list its values":           "  trials: 3\n  space:\n    model: {from: 1, to: 2}\n",
		"scale is log or linear":                     "  trials: 3\n  space:\n    gamma: {from: 1, to: 2, scale: ln}\n",
		"not a sweep":                                "  trails: 3\n" + space,
		"which has no validations":                   "  set: [eval.every=0]\n  trials: 3\n" + space,
		"runs and search exclude each other":         "  trials: 3\n" + space + "runs: [{config: small.yaml}]\n",
	} {
		_, err := Load(runtest.WriteSearch(t, text), config.Layers{})
		var bad *config.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "search.yaml")
	expect.NoError(t, os.WriteFile(file, []byte("search:\n  trials: 3\n"+space), 0o644))
	if _, err := Load(file, config.Layers{}); err == nil || !strings.Contains(err.Error(), "search.config is missing") {
		t.Errorf("without a config: %v", err)
	}
}
