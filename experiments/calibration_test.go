package experiments

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCalibrationIsKept: the run keeps probabilities beside its model, and fits again what is damaged.
func TestCalibrationIsKept(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, modelFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	first, err := untrained(t, g, dir).Calibrated(t.Context(), "expected-f1", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(calibrationFile))
	for _, change := range []struct {
		do   func(*eval.Calibrated)
		kept bool
	}{
		{func(c *eval.Calibrated) { c.New.Head[0].Intercept++ }, true},
		{func(c *eval.Calibrated) { c.New.Head = c.New.Head[1:] }, false},
		{func(c *eval.Calibrated) { c.Promise.Fitted.Tail.Right = nil }, false},
	} {
		raw, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		var changed eval.Calibrated
		if err := json.Unmarshal(raw, &changed); err != nil || !reflect.DeepEqual(&changed, first) {
			t.Fatalf("JSON changes probabilities (%v)", err)
		}
		change.do(&changed)
		if raw, err = json.Marshal(changed); err == nil {
			err = os.WriteFile(path, raw, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := untrained(t, g, dir).Calibrated(t.Context(), "expected-f1", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(again, &changed) != change.kept || reflect.DeepEqual(again, first) == change.kept {
			t.Errorf("kept is %v, want %v", !change.kept, change.kept)
		}
	}
}

// TestPromisedCutsOfDotProducts: values below 0 have probabilities, too. Every validation query together has the
// promised recall, a note says what came of it, and slack does not move what is promised.
func TestPromisedCutsOfDotProducts(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	run := untrained(t, g, t.TempDir())
	run.Model, err = sphere.New(sphere.Settings{Model: sphere.DistMult, Variant: sphere.Clean, Dimension: 4, Gamma: 1,
		Epsilon: 2}, g, 3)
	if err != nil {
		t.Fatal(err)
	}
	run.Config.Model, run.Config.Variant = string(sphere.DistMult), sphere.Clean
	cut := AnswerCut{Name: "recall-0.9"}
	r, err := run.Retriever(t.Context(), cut, retrieve.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range g.Valid {
		a, err := r.Answer(t.Context(), f.Query(kg.TailSide))
		if err != nil {
			t.Fatal(err)
		}
		if a.Slacks[f.Tail] >= 0 {
			found++
		}
	}
	if share := float64(found) / float64(len(g.Valid)); math.Abs(share-.9) > .1 {
		t.Errorf("the sets hold %g of the validation answers", share)
	}
	note, err := run.NovelNote(t.Context(), r, 0, nil)
	if err != nil || note == nil || !strings.Contains(note.Text, "recall 0.9 of new answers begins at") {
		t.Errorf("note %+v, %v", note, err)
	}
	cut.Slack = 1
	if _, err := run.Retriever(t.Context(), cut, retrieve.Options{}, nil); err == nil ||
		!strings.Contains(err.Error(), "slack cannot move it") {
		t.Errorf("slack: error %v", err)
	}
}

// TestCalibratedTraining: a training with eval.calibrate keeps probabilities, logs how reliable they are and the cuts
// by expected F1, and answers by expected-novel. The checkpoint gives the same numbers again, also without the file.
func TestCalibratedTraining(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	cfg := smallConfig(circleGraph(t, 100)) // with ten validation facts
	cfg.Eval.Calibrate, cfg.Eval.Bootstrap = true, 20
	var lines strings.Builder
	r := &Runner{Tracker: tr, Environment: ReadEnvironment(ctx), Progress: NewLineProgress(&lines)}
	result, err := r.Train(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lines.String(), "\n  calibrated on ") {
		t.Errorf("progress:\n%s", lines.String())
	}
	run, err := OpenRun(ctx, tr, result.RunID, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"valid/head_ece", "valid/tail_brier", "test/tail_ece", "test/head_brier",
		"test/expected-f1/head_f1_lo", "test/expected-novel/tail_novel_f1", "test/expected-union/head_union_f1",
		"system/calibration_seconds"} {
		if _, ok := run.Info.Metrics[key]; !ok {
			t.Errorf("%s is not logged", key)
		}
	}
	if cut := run.DefaultCut(); cut != "expected-novel" {
		t.Errorf("the default cut of a calibrated run is %s", cut)
	}
	path := storedFile(run.Info, calibrationFile)
	kept := run.keptCalibration()
	if kept == nil {
		t.Fatal("no probabilities are kept")
	}
	for key, value := range kept.LoggedMetrics() {
		if run.Info.Metrics[key] != value {
			t.Errorf("%s is %g, logged %g", key, value, run.Info.Metrics[key])
		}
	}
	for _, remove := range []bool{false, true} {
		if remove {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			run.calibrated = nil
		}
		again, err := run.Evaluate(ctx, EvalOptions{Threads: 1}, nil)
		if err != nil || !maps.Equal(again.Metrics(), result.Report.Metrics()) {
			t.Errorf("file removed: %v: the second evaluation differs: %v", remove, err)
		}
		var names []string
		for _, c := range again.Cuts {
			names = append(names, c.Name)
		}
		if want := run.CutNames(EvalOptions{}); !slices.Equal(names, want) {
			t.Errorf("cuts %q, announced %q", names, want)
		}
	}
	report, err := run.Evaluate(ctx, EvalOptions{Valid: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := report.Cut("expected-f1"); ok || report.Reliability != nil {
		t.Error("probabilities are judged by the triples that they were fitted on")
	}
}

// TestCalibrateNeedsValidation: like eval.fit, but also where nothing is evaluated.
func TestCalibrateNeedsValidation(t *testing.T) {
	t.Parallel()
	train, rest := [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, [][3]string{{"a", "r", "c"}}
	bare, err := kg.New("bare", train, nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	cfg := smallConfig("bare")
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
	if err != nil {
		t.Fatal(err)
	}
	cfg.Eval.Calibrate = true
	if _, err := cfg.FitTo(untested, func(string) bool { return false }); err != nil || !cfg.Eval.Calibrate {
		t.Errorf("without test triples: calibrate %v, error %v", cfg.Eval.Calibrate, err)
	}
}
