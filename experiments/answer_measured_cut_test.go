package experiments

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Every criterion that a model has can be its eval.criterion, and the schema offers it.
func TestEveryCriterionIsAccepted(t *testing.T) {
	t.Parallel()
	used := map[sphere.Criterion]bool{}
	for _, model := range sphere.Models() {
		for _, variant := range sphere.Variants() {
			c := config.Default()
			c.Model, c.Variant = model, variant
			if c.Settings().Validate() != nil {
				continue // the model lacks the variant
			}
			for _, criterion := range c.Settings().Criteria() {
				used[criterion] = true
				c.Eval.Criterion = string(criterion)
				if _, err := c.Check(); err != nil {
					t.Errorf("%s in variant %s: %v", model, variant, err)
				}
			}
		}
	}
	text := string(config.Schema())
	for _, criterion := range sphere.Criteria() {
		if !used[criterion] {
			t.Errorf("no model has the criterion %s", criterion)
		}
		if !slices.Contains(config.Choices("eval.criterion"), string(criterion)) {
			t.Errorf("%s is not a choice of eval.criterion", criterion)
		}
		if !strings.Contains(text, string(criterion)+" (") {
			t.Errorf("default.yaml, and so the schema, does not explain the criterion %s", criterion)
		}
	}
}

// A run is measured at a cut that its own evaluation leaves out, with the numbers that a run logs that has the cut as
// its criterion: the same training, so the same sets.
func TestMeasuring(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	graph := runtest.CircleGraph(t, 60)
	open := func(criterion string) *answer.Run {
		t.Helper()
		cfg := runtest.SmallConfig(graph)
		cfg.Model, cfg.Dimension, cfg.Eval.Criterion = sphere.BoxE, 1, criterion
		cfg.Train.LearningRate = 1e-6 // learned boxes hold nothing, drawn ones something
		result, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		run, err := answer.Open(ctx, tr, result.RunID, nil)
		expect.NoError(t, err)
		return run
	}
	own, by := open(config.DefaultCriterion), open("boxes")
	primary, err := by.Evaluate(ctx, answer.EvalOptions{}, nil)
	if err != nil || primary.Primary != "boxes" {
		t.Fatal(primary, err)
	}
	for _, name := range []string{"boxes", "top-7", "top-mean", "fitted-f1", "expected-f1", "precision-0.8"} {
		o, err := answer.EvalOptions{}.Measuring(own, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		report, err := own.Evaluate(ctx, o, nil)
		expect.NoError(t, err)
		at := slices.IndexFunc(report.Cuts, func(c eval.Result) bool { return c.Name == name })
		if at < 0 {
			t.Errorf("the report has no cut %s", name)
			continue
		}
		if name != "boxes" {
			continue
		}
		got := report.Cuts[at]
		if !reflect.DeepEqual(got, primary.Cuts[0]) {
			t.Errorf("%+v at the cut, and %+v of the run that has it as its criterion", got, primary.Cuts[0])
		}
		if got.Head.Size+got.Tail.Size <= 0 {
			t.Error("no set has an answer, so nothing was compared")
		}
		if f1 := by.Info.Metrics["test/head_rr"]; f1 != got.Head.RR {
			t.Errorf("the run logged a head RR of %v, not %v", f1, got.Head.RR)
		}
		metrics := report.LoggedMetrics()
		if metrics["test/head_f1"] != own.Info.Metrics["test/head_f1"] {
			t.Error("the run's own cut has changed")
		}
	}
	for _, name := range []string{"blocks", "nonsense", "tie-blocks"} {
		if _, err := (answer.EvalOptions{}).Measuring(own, name); err == nil || !strings.Contains(err.Error(), "has no cut") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (answer.EvalOptions{Valid: true}).Measuring(own, "expected-f1"); err == nil {
		t.Error("probabilities are judged by the facts that they were fitted on")
	}
}
