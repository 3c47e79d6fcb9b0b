package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestReliabilityOfARun: its test numbers are those of an evaluation, and without test facts there are none.
func TestReliabilityOfARun(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	cut, _ := eval.PromisedRecall(.5)
	coverage, _ := eval.CoverageOf(.7)
	got, err := run.Reliability(t.Context(), []eval.Limited{cut, coverage}, 2, nil)
	expect.NoError(t, err)
	by, err := run.Calibrated(t.Context(), "", 0, nil)
	expect.NoError(t, err)
	report, err := run.Evaluate(t.Context(), EvalOptions{With: []eval.Limited{cut, coverage}, KeepRecords: true}, nil)
	expect.NoError(t, err)
	kept, _ := report.Records.Kept("recall-0.5")
	outcome := cut.By(by).(eval.Promised).Outcome()
	if len(got.Promises) != 1 || got.Promises[0].Test == nil || *got.Promises[0].Test != kept ||
		got.Promises[0].Outcome != outcome || kept.Recall == 0 {
		t.Errorf("%+v, want %+v and %+v", got.Promises, outcome, kept)
	}
	checkCoverage(t, run, got, by, report)
	logged := by.LoggedMetrics()
	if len(got.Sides) != 4 || got.Sides[1].ECE != logged["valid/tail_ece"] || got.Sides[1].Split != "valid" ||
		got.Sides[2].Split != "test" || got.Sides[2].Side != "head" {
		t.Errorf("%+v, logged %v", got.Sides, logged)
	}
	g.Test = nil
	got, err = run.Reliability(t.Context(), []eval.Limited{cut, coverage}, 1, nil)
	if err != nil || len(got.Sides) != 2 || got.Promises[0].Test != nil ||
		got.Coverages[0].Sides[1].Test != nil {
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

// checkCoverage compares a run's coverage with an evaluation and with the validation facts that decide it.
func checkCoverage(t *testing.T, run *Run, got *Reliability, by *eval.Calibrated, report *eval.Report) {
	t.Helper()
	at := slices.IndexFunc(report.Cuts, func(c eval.Result) bool { return c.Name == "coverage-0.7" })
	if at < 0 || len(got.Coverages) != 1 || got.Coverages[0].Cut != "coverage-0.7" {
		t.Fatalf("coverages %+v", got.Coverages)
	}
	cut, sides := report.Cuts[at], got.Coverages[0].Sides
	for i, scores := range []eval.Scores{cut.Head, cut.Tail} {
		least, of := 1.0, ""
		for _, r := range cut.Relations {
			s := []eval.Scores{r.Head, r.Tail}[i]
			if s.Triples >= 50 && s.RR < least {
				least, of = s.RR, r.Name
			}
		}
		want := CoveredTest{Covered: scores.RR, Size: scores.Size, Worst: least, Of: of}
		if sides[i].Test == nil || *sides[i].Test != want || want.Size == 0 || of == "" {
			t.Errorf("%s: %+v, want %+v", sides[i].Side, sides[i].Test, want)
		}
	}
	checkCoverageNote(t, run)
	if n := len(by.Promise.Coverage.Tail.Clusters); sides[1].Relations != n-1 || sides[1].Side != "tail" {
		t.Errorf("%+v, %d clusters", sides[1], n)
	}
}

// checkCoverageNote: the note says what decides.
func checkCoverageNote(t *testing.T, run *Run) {
	t.Helper()
	note, err := run.promiseNote(t.Context(), "coverage-0.7", 0, nil)
	if err != nil || !strings.Contains(note.Text, "coverage 0.7 of right new answers") {
		t.Errorf("%v, %v", note, err)
	}
}
