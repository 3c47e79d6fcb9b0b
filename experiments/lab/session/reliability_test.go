package session

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestPromisesAreTheEvaluation: the table has what the evaluation of the same cut keeps of the test facts.
func TestPromisesAreTheEvaluation(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1}, 7)
	by, err := run.Calibrated(t.Context(), "expected-f1", 0, nil)
	expect.NoError(t, err)
	cut, _ := eval.PromisedPrecision(.001)
	report, err := eval.Run(t.Context(), run.Model, run.Graph, eval.Settings{Cuts: []eval.Cut{cut.By(by)},
		KeepRecords: true, SkipRanking: true})
	expect.NoError(t, err)
	want, _ := report.Records.Kept("precision-0.001")
	rows := r.Promises(.001, .999)
	if rows.Len() != 3 || rows.Value(2, "facts") != "test" || rows.Value(2, "precision") != want.Precision ||
		rows.Value(2, "recall") != want.Recall || want.Recall == 0 {
		t.Errorf("want %+v:\n%s", want, rows)
	}
	if !strings.Contains(rows.String(), "precision-0.999: no threshold reaches it") {
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

// TestProbabilityInEveryForm: JSON's member, CSV, explanation, set and table of a notebook have one probability, and
// known answers have none. Combinations have none either.
func TestProbabilityInEveryForm(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1}, 7)
	r = r.Recall(.9)
	by := r.retriever(t.Context(), run)
	answer, err := by.Answer(t.Context(), run.Graph.Test[0].Query(kg.TailSide))
	expect.NoError(t, err)
	var raw strings.Builder
	expect.NoError(t, answer.WriteCSV(&raw))
	table, err := csv.NewReader(strings.NewReader(raw.String())).ReadAll()
	if err != nil || table[0][10] != "probability" {
		t.Fatalf("%v, %q", err, table)
	}
	set := r.Ask(answer.Head, answer.Relation, "?")
	rows, novel := set.Rows(), 0
	for i, m := range answer.Set {
		if m.Known != (m.Probability == nil) {
			t.Fatalf("%+v", m)
		}
		if m.Known {
			if table[i+1][10] != "" || rows.Value(i, "probability") != nil {
				t.Errorf("%s is known: %q, %v", m.Label, table[i+1][10], rows.Value(i, "probability"))
			}
			continue
		}
		novel++
		text := fmt.Sprintf("p %.3f", *m.Probability)
		if table[i+1][10] != fmt.Sprint(*m.Probability) || rows.Value(i, "probability") != *m.Probability ||
			i < shownAnswers && (!strings.Contains(set.String(), text) || !strings.Contains(set.HTML(), text)) {
			t.Errorf("%s has %g: %q, %v", m.Label, *m.Probability, table[i+1][10], rows.Value(i, "probability"))
		}
	}
	if novel == 0 || rows.Len() != len(answer.Set) {
		t.Errorf("%d new answers; %d rows, %d answers", novel, rows.Len(), len(answer.Set))
	}
	predicted := r.Predict(answer.Relation, 5)
	for i := range predicted.Len() {
		x := r.Explain(predicted.Value(i, "head").(string), answer.Relation, predicted.Value(i, "tail").(string))
		p := predicted.Value(i, "probability")
		if x.Probability == nil || p != *x.Probability {
			t.Errorf("row %d has probability %v: %+v", i, p, x.Explanation)
		}
	}
	if predicted.Len() == 0 || slices.Contains(set.And(set).Rows().Columns(), "probability") ||
		slices.Contains(r.Cut("margin").Ask(answer.Head, answer.Relation, "?").Rows().Columns(), "probability") {
		t.Error("a combination or a margin has probabilities, or nothing is predicted")
	}
}
