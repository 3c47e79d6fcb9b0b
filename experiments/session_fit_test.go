package experiments

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestFittedRows trains a model of space with eval.fit: its rows are logged, their thresholds are kept, and the
// checkpoint gives the same rows again.
func TestFittedRows(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Model, cfg.Variant, cfg.Eval.Fit = sphere.SpherE3D, sphere.Released, true
	r := &Runner{Tracker: tr, Environment: ReadEnvironment(ctx)}
	result, err := r.Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, result.RunID)
	expect.NoError(t, err)
	extra := append(eval.FittedNames(), eval.TopMean{}.Name())
	for _, cut := range extra {
		if _, ok := info.Metrics["test/"+cut+"/head_union_f1"]; !ok {
			t.Errorf("no row %s is logged", cut)
		}
	}
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(answer.ThresholdsFile)))
	expect.NoError(t, err)
	var kept []sphere.Thresholds
	expect.NoError(t, json.Unmarshal(raw, &kept))
	var names []string
	for _, x := range kept {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, eval.FittedNames()) || len(kept[0].Head) != result.Graph.Relations.Len() {
		t.Errorf("thresholds of %q", names)
	}

	run, err := answer.Open(ctx, tr, result.RunID, nil)
	expect.NoError(t, err)
	again, err := run.Evaluate(ctx, answer.EvalOptions{Threads: 1}, nil)
	if err != nil || !maps.Equal(again.Metrics(), result.Report.Metrics()) {
		t.Errorf("the second evaluation differs: %v", err)
	}
	run.Config.Eval.Fit = false
	for _, c := range []struct {
		options answer.EvalOptions
		fitted  bool
	}{{answer.EvalOptions{}, false}, {answer.EvalOptions{Fit: true}, true}} {
		report, err := run.Evaluate(ctx, c.options, nil)
		expect.NoError(t, err)
		if _, ok := report.Cut("fitted-novel"); ok != c.fitted {
			t.Errorf("%+v: a fitted row: %v", c.options, ok)
		}
	}
	run.Config.Eval.Fit = true
	report, err := run.Evaluate(ctx, answer.EvalOptions{Valid: true}, nil)
	expect.NoError(t, err)
	if _, ok := report.Cut("fitted-f1"); ok {
		t.Error("fitted thresholds are judged by the triples that they were fitted on")
	}
}

// TestFitNeedsValidation: what cannot be fitted is refused before the run starts. Graphs from files have validation
// triples; a graph that a program makes may have none.
func TestFitNeedsValidation(t *testing.T) {
	t.Parallel()
	g, err := kg.New("bare", [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, nil, [][3]string{{"a", "r", "c"}})
	expect.NoError(t, err)
	cfg := runtest.SmallConfig("bare")
	cfg.Eval.Every, cfg.Eval.Fit = 0, true
	if _, err := newSession(&Runner{}, cfg, g); err == nil || !strings.Contains(err.Error(),
		"eval.fit must be false: graph bare has no validation triples") {
		t.Errorf("error %v", err)
	}
	cfg.Eval.Fit = false
	if _, err := newSession(&Runner{}, cfg, g); err != nil {
		t.Error(err)
	}
}

// TestFitToLeavesThresholdsOut: configs that fit thresholds also serve graphs without validation triples, unless the
// user asked for thresholds.
func TestFitToLeavesThresholdsOut(t *testing.T) {
	t.Parallel()
	train, rest := [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, [][3]string{{"a", "r", "c"}}
	for _, c := range []struct {
		name        string
		valid, test [][3]string
		fixed, want bool
		final       bool
	}{
		{"all splits", rest, rest, false, true, true},
		{"no validation", nil, rest, false, false, true},
		{"no validation, but asked for", nil, rest, true, true, true},
		{"nothing measured", nil, nil, false, true, false},
	} {
		g, err := kg.New("small", train, c.valid, c.test)
		expect.NoError(t, err)
		cfg := runtest.SmallConfig("small")
		cfg.Eval.Fit, cfg.Eval.Final = true, true
		notes, err := cfg.FitTo(g, func(key string) bool { return c.fixed && key == "eval.fit" })
		if err != nil || cfg.Eval.Fit != c.want || cfg.Eval.Final != c.final {
			t.Errorf("%s: fit %v, final %v, error %v", c.name, cfg.Eval.Fit, cfg.Eval.Final, err)
		}
		if said := strings.Contains(strings.Join(notes, "\n"), "eval.fit"); said == c.want {
			t.Errorf("%s: notes %q", c.name, notes)
		}
	}
}
