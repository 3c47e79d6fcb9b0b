package answer

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestReliabilityOfARun: its test numbers are those of an evaluation, and without test facts there are none.
func TestReliabilityOfARun(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	run := untrained(t, g, t.TempDir())
	cut, _ := eval.PromisedRecall(.5)
	got, err := run.Reliability(t.Context(), []eval.Promised{cut}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	by, err := run.Calibrated(t.Context(), "", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := run.Evaluate(t.Context(), EvalOptions{With: []eval.Limited{cut}, KeepRecords: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := report.Records.Kept("recall-0.5")
	outcome := cut.By(by).(eval.Promised).Outcome()
	if len(got.Promises) != 1 || got.Promises[0].Test == nil || *got.Promises[0].Test != kept ||
		got.Promises[0].Outcome != outcome || kept.Recall == 0 {
		t.Errorf("%+v, want %+v and %+v", got.Promises, outcome, kept)
	}
	logged := by.LoggedMetrics()
	if len(got.Sides) != 4 || got.Sides[1].ECE != logged["valid/tail_ece"] || got.Sides[1].Split != "valid" ||
		got.Sides[2].Split != "test" || got.Sides[2].Side != "head" {
		t.Errorf("%+v, logged %v", got.Sides, logged)
	}
	g.Test = nil
	got, err = run.Reliability(t.Context(), []eval.Promised{cut}, 1, nil)
	if err != nil || len(got.Sides) != 2 || got.Promises[0].Test != nil {
		t.Errorf("without test facts: %+v, %v", got, err)
	}
	if _, err := got.Chart().SVG(); err != nil {
		t.Error(err)
	}
	g.Valid, run.calibrated = nil, nil
	if _, err := run.Reliability(t.Context(), nil, 0, nil); err == nil ||
		!strings.Contains(err.Error(), "has no validation facts to fit probabilities on") {
		t.Errorf("without validation facts: %v", err)
	}
}
