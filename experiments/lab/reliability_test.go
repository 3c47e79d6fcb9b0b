package lab

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestPromisesAreTheEvaluation: the table has what the evaluation of the same cut keeps of the test facts.
func TestPromisesAreTheEvaluation(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1}, 7)
	by, err := run.Calibrated(t.Context(), "expected-f1", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	cut, _ := eval.PromisedPrecision(.001)
	report, err := eval.Run(t.Context(), run.Model, run.Graph, eval.Settings{Cuts: []eval.Cut{cut.By(by)},
		KeepRecords: true, SkipRanking: true})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := report.Records.Kept("precision-0.001")
	rows := r.Promises(.001, .999)
	if rows.Len() != 3 || rows.Value(2, "facts") != "test" || rows.Value(2, "precision") != want.Precision ||
		rows.Value(2, "recall") != want.Recall || want.Recall == 0 {
		t.Errorf("want %+v:\n%s", want, rows)
	}
	if !strings.Contains(rows.String(), "precision-0.999: no probability keeps it") {
		t.Errorf("notes:\n%s", rows)
	}
	if e := caught(t, func() { r.Promises(1) }); !strings.Contains(e.Error(), "above 0 and below 1") {
		t.Errorf("precision 1: %v", e)
	}
	svg, err := r.Reliability().SVG()
	if err != nil || !strings.Contains(string(svg), "share that is right") {
		t.Errorf("picture: %v", err)
	}
}
