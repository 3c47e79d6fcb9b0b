package experiments

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCalibratedTraining: a training with eval.calibrate keeps probabilities, logs how reliable they are and the cuts
// by expected F1, and answers by expected-novel. The checkpoint gives the same numbers again, also without the file.
func TestCalibratedTraining(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 100)) // with ten validation facts
	cfg.Eval.Calibrate, cfg.Eval.Bootstrap = true, 20
	var lines strings.Builder
	r := &Runner{Tracker: tr, Environment: ReadEnvironment(ctx), Progress: progress.NewLines(&lines)}
	result, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	if !strings.Contains(lines.String(), "\n  calibrated on ") {
		t.Errorf("progress:\n%s", lines.String())
	}
	run, err := answer.Open(ctx, tr, result.RunID, nil)
	expect.NoError(t, err)
	for _, key := range []string{"valid/head_ece", "valid/tail_brier", "test/tail_ece", "test/head_brier",
		"test/expected-f1/head_f1_lo", "test/expected-novel/tail_novel_f1", "test/expected-union/head_union_f1",
		"system/calibration_seconds"} {
		if _, ok := run.Info.Metrics[key]; !ok {
			t.Errorf("%s is not logged", key)
		}
	}
	if cut := run.UsualCut(); cut != "expected-novel" {
		t.Errorf("the default cut of a calibrated run is %s", cut)
	}
	path := runtest.Artifact(t, run.Info, answer.CalibrationFile)
	kept := keptCalibration(t, run.Info)
	if kept == nil {
		t.Fatal("no probabilities are kept")
	}
	judged := run.Config.Judged(run.Model, run.Graph)
	want, err := eval.ChooseCuts(ctx, judged, run.Graph, kept, eval.CalibrateSettings{})
	if got := answer.ReadLogged(run.Info).DefaultCuts; err != nil || got == nil || *got != *want {
		t.Errorf("the default cuts are %+v, want %+v (%v)", got, want, err)
	}
	for key, value := range kept.LoggedMetrics() {
		if run.Info.Metrics[key] != value {
			t.Errorf("%s is %g, logged %g", key, value, run.Info.Metrics[key])
		}
	}
	for _, remove := range []bool{false, true} {
		if remove {
			expect.NoError(t, os.Remove(path))
			if run, err = answer.Open(ctx, tr, result.RunID, nil); err != nil {
				t.Fatal(err)
			}
		}
		again, err := run.Evaluate(ctx, answer.EvalOptions{Threads: 1}, nil)
		if err != nil || !maps.Equal(again.Metrics(), result.Report.Metrics()) {
			t.Errorf("file removed: %v: the second evaluation differs: %v", remove, err)
		}
		var names []string
		for _, c := range again.Cuts {
			names = append(names, c.Name)
		}
		if want := run.CutNames(answer.EvalOptions{}); !slices.Equal(names, want) {
			t.Errorf("cuts %q, announced %q", names, want)
		}
	}
	report, err := run.Evaluate(ctx, answer.EvalOptions{Valid: true}, nil)
	expect.NoError(t, err)
	if _, ok := report.Cut("expected-f1"); ok || report.Reliability != nil {
		t.Error("probabilities are judged by the triples that they were fitted on")
	}
}

// TestCalibrateNeedsValidation: like eval.fit, but also where nothing is evaluated.
func TestCalibrateNeedsValidation(t *testing.T) {
	t.Parallel()
	train, rest := [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, [][3]string{{"a", "r", "c"}}
	bare, err := kg.New("bare", train, nil, rest)
	expect.NoError(t, err)
	cfg := runtest.SmallConfig("bare")
	cfg.Eval.Every, cfg.Eval.Calibrate, cfg.Eval.Final = 0, true, false
	if _, err := newSession(&Runner{}, cfg, bare); err == nil || !strings.Contains(err.Error(),
		"eval.calibrate must be false: graph bare has no validation triples") {
		t.Errorf("error %v", err)
	}
	notes, err := cfg.FitTo(bare, func(string) bool { return false })
	if err != nil || cfg.Eval.Calibrate || !strings.Contains(strings.Join(notes, "\n"), "eval.calibrate = false") {
		t.Errorf("calibrate %v, notes %q, error %v", cfg.Eval.Calibrate, notes, err)
	}
	untested, err := kg.New("untested", train, rest, nil)
	expect.NoError(t, err)
	cfg.Eval.Calibrate = true
	if _, err := cfg.FitTo(untested, func(string) bool { return false }); err != nil || !cfg.Eval.Calibrate {
		t.Errorf("without test triples: calibrate %v, error %v", cfg.Eval.Calibrate, err)
	}
}
