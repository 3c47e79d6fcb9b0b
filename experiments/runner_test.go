package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestTrainLogsEverything(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Tags = map[string]string{"purpose": "test"}
	var events []progress.Kind
	var finished map[string]float64
	r := &Runner{Tracker: tr, Environment: ReadEnvironment(ctx), Progress: runtest.Watch(func(e progress.Event) {
		events = append(events, e.Event)
		if e.Event == progress.RunFinished {
			finished = e.Metrics
		}
	})}
	result, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, "last")
	expect.NoError(t, err)
	if info.ID != result.RunID || info.Status != "FINISHED" || info.Name != "circle-sphere-2d-clean" ||
		info.Experiment != "circle" {
		t.Errorf("run %+v", info)
	}
	for key, want := range map[string]string{"model": "sphere-2d", "variant": "clean", "data": "circle",
		"dimension": "8", "seed": "42",
		"train.epochs": "8", "train.steps": "5", "train.learning_rate": "0.02", "numerics_version": "1",
		"graph":        "circle",
		"graph_digest": result.Graph.Digest(), "config_hash": mustSettle(t, cfg, result).IdentityHash()} {
		if info.Params[key] != want {
			t.Errorf("param %s is %q, want %q", key, info.Params[key], want)
		}
	}
	for _, key := range []string{"binary_version", "cpu", "go_version", "simd", "roots", "threads", "os", "graph_digest",
		"variant", "seed", "numerics_version"} {
		if info.Tags[key] == "" {
			t.Errorf("no tag %s", key)
		}
	}
	for key := range info.Tags {
		if free := key == "purpose" || strings.HasPrefix(key, "mlflow."); answer.IsOwnTag(key) == free {
			t.Errorf("tag %s is the training's own: %t", key, !free)
		}
	}
	if info.Tags["purpose"] != "test" || info.Tags["checkpoint_digest"] != result.Digest ||
		info.Tags["data_source"] != result.Graph.Source {
		t.Errorf("tags %v", info.Tags)
	}
	checkMetrics(t, tr, info, result)
	checkArtifacts(t, info, result)
	if !maps.EqualFunc(finished, result.Report.LoggedMetrics(), func(a, b float64) bool {
		return a == b ||
			math.IsNaN(a) && math.IsNaN(b)
	}) {
		t.Errorf("the last event has %d metrics, the report %d", len(finished), len(result.Report.Metrics()))
	}
	if events[0] != progress.RunStarted || events[len(events)-1] != progress.RunFinished {
		t.Errorf("events %v", events)
	}
	// A second evaluation of the checkpoint has the logged numbers.
	run, err := answer.Open(ctx, tr, result.RunID[:10], nil)
	expect.NoError(t, err)
	again, err := run.Evaluate(ctx, answer.EvalOptions{Threads: 1}, nil)
	if err != nil || !maps.Equal(again.Metrics(), result.Report.Metrics()) {
		t.Errorf("the second evaluation differs: %v", err)
	}
}

// checkMetrics: every epoch has its loss, every second one a validation, and the test metrics are those of the report.
func checkMetrics(t *testing.T, tr *tracker.Tracker, info tracker.RunInfo, result *Result) {
	t.Helper()
	all := runtest.Logged(t, tr, result.RunID)
	for epoch := 1; epoch <= 8; epoch++ {
		if loss := all[fmt.Sprintf("loss@%d", epoch)]; !(loss > 0) {
			t.Errorf("loss of epoch %d is %v", epoch, loss)
		}
		if all[fmt.Sprintf("learning_rate@%d", epoch)] != .02 {
			t.Errorf("no learning rate for epoch %d", epoch)
		}
		if _, ok := all[fmt.Sprintf("valid/head_f1@%d", epoch)]; ok != (epoch%2 == 0) {
			t.Errorf("validation of epoch %d: %v", epoch, ok)
		}
	}
	for key := range info.Metrics {
		if strings.Contains(key, "loss") && key != "loss" {
			t.Errorf("metric %s contains the word loss", key)
		}
	}
	for _, key := range []string{"system/epoch_seconds", "system/steps_per_second", "system/evaluation_seconds",
		"system/cpu_seconds", "system/evaluation_cpu_seconds"} {
		if !(info.Metrics[key] > 0) {
			t.Errorf("%s is %v", key, info.Metrics[key])
		}
	}
	for key, want := range result.Report.Metrics() {
		if got, ok := all["test/"+key+"@8"]; !ok || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("test/%s is logged as %v, the report has %v", key, got, want)
		}
	}
}

// checkArtifacts reads the files of a finished run.
func checkArtifacts(t *testing.T, info tracker.RunInfo, result *Result) {
	t.Helper()
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	model, _, err := sphere.Load(filepath.Join(dir, answer.ModelFile))
	if err != nil || model.Digest() != result.Digest {
		t.Errorf("model file: %v", err)
	}
	var report eval.Report
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(reportFile)))
	if err == nil {
		err = json.Unmarshal(raw, &report)
	}
	if err != nil || !maps.Equal(report.Metrics(), result.Report.Metrics()) {
		t.Errorf("report file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, answer.StateFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state file is still there: %v", err)
	}
	back, err := runtest.Load(config.Layers{Config: filepath.Join(dir, answer.ConfigFile)})
	if err != nil || back.IdentityHash() != info.Params["config_hash"] {
		t.Errorf("the logged config has another identity: %v", err)
	}
}

// mustSettle is the config with the steps that the graph decides.
func mustSettle(t *testing.T, c *config.Config, r *Result) *config.Config {
	training, err := c.Training().On(r.Graph)
	expect.NoError(t, err)
	settled := *c
	settled.Train.Steps = training.Steps
	return &settled
}

func TestEarlyStoppingKeepsTheBestModel(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	cfg := runtest.SmallConfig(data)
	cfg.Train.Epochs, cfg.Eval.Every, cfg.Train.LearningRate = 400, 4, .05
	cfg.EarlyStop = config.EarlyStop{Metric: "valid/mrr", Patience: 3, MinDelta: 0}
	result, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	points, err := tr.History(ctx, result.RunID, "valid/mrr")
	expect.NoError(t, err)
	best, since := tracker.Point{Value: math.Inf(-1)}, 0
	for _, p := range points {
		if p.Value > best.Value {
			best, since = p, 0
		} else {
			since++
		}
	}
	if result.Epochs == 400 || since != 3 || result.Epochs != int(best.Step)+12 {
		t.Fatalf("stopped after epoch %d, best was epoch %d, %d validations since", result.Epochs, best.Step, since)
	}
	short := runtest.SmallConfig(data)
	short.Train, short.Eval.Every = cfg.Train, 0
	short.Train.Epochs = int(best.Step)
	same, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, short))
	if err != nil || same.Digest != result.Digest {
		t.Errorf("the model is not that of epoch %d: %v", best.Step, err)
	}
	// The same with an interrupt on the way.
	stopped, cancel := context.WithCancel(ctx)
	r := &Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == result.Epochs-2 {
			cancel()
		}
	})}
	_, err = r.Train(stopped, runtest.Checked(t, cfg))
	var interrupted *InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatal(err)
	}
	resumed, err := (&Runner{Tracker: tr}).Resume(ctx, interrupted.RunID, config.Layers{})
	if err != nil || resumed.Digest != result.Digest || resumed.Epochs != result.Epochs {
		t.Errorf("resumed: epoch %d, want %d, %v", resumed.Epochs, result.Epochs, err)
	}
}

func TestMistakesStartNoRun(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	for want, change := range map[string]func(*config.Config){
		"train.negatives must be less than the 30 entities of graph circle, not 30": func(c *config.Config) { c.Train.Negatives = 30 },
		"dimension must be a number from 1":                                         func(c *config.Config) { c.Dimension = 0 },
		`data set "nowhere" was not found`:                                          func(c *config.Config) { c.Data = "nowhere" },
	} {
		cfg := runtest.SmallConfig(data)
		change(cfg)
		checked, err := cfg.Check()
		if err == nil {
			_, err = (&Runner{Tracker: tr}).Train(ctx, checked)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were started, %v", len(runs), err)
	}
}

func TestRunsWithoutFinalEvaluation(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Eval.Final, cfg.Eval.Every, cfg.Train.SaveEvery = false, 0, 0
	result, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	if err != nil || result.Report != nil {
		t.Fatalf("report %v, error %v", result.Report, err)
	}
	info, err := tr.FindRun(ctx, result.RunID)
	if err != nil || info.Status != "FINISHED" {
		t.Errorf("status %s, %v", info.Status, err)
	}
	for key := range info.Metrics {
		if strings.HasPrefix(key, "test/") || strings.HasPrefix(key, "valid/") {
			t.Errorf("metric %s was logged", key)
		}
	}
}

// TestGitHeads: every program that has worked on a run is named, once there is more than the first.
