package results

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// trainSmall trains a run in well under a second, on a graph of 30 entities on a circle with steps of 1, 2 and 3 as
// relations.
func trainSmall(t *testing.T, tr *tracker.Tracker, change func(*config.Config)) tracker.RunInfo {
	t.Helper()
	c := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	change(c)
	ctx := context.Background()
	r := &experiments.Runner{Tracker: tr, Environment: experiments.ReadEnvironment(ctx)}
	result, err := r.Train(ctx, runtest.Checked(t, c))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, result.RunID)
	expect.NoError(t, err)
	return info
}

// TestTableOfCalibratedRows: people see expected-novel where every run has it, else what all runs have.
func TestTableOfCalibratedRows(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	shown := func() string {
		t.Helper()
		table, err := BuildResultTable(ctx, "circle", Sources{Runs: tr}, Options{})
		expect.NoError(t, err)
		var cuts []string
		for _, row := range table.Short {
			cuts = append(cuts, row.CutName())
		}
		if text := tableText(t, table, "text"); strings.Contains(strings.Join(cuts, " "), "expected") !=
			strings.Contains(text, "expected-: the set of greatest expected F1") {
			t.Errorf("cuts %q, notes:\n%s", cuts, text)
		}
		return strings.Join(cuts, " ")
	}
	trainSmall(t, tr, func(c *config.Config) { c.Eval.Fit, c.Eval.Calibrate = true, true })
	if got := shown(); got != "known expected-novel" {
		t.Errorf("rows for people: %s", got)
	}
	trainSmall(t, tr, func(c *config.Config) { c.Model, c.Eval.Fit = sphere.RotatE, true })
	if got := shown(); got != "known fitted-novel fitted-novel" {
		t.Errorf("with a run without probabilities: %s", got)
	}
}

// TestTableOfSampledRows: a run that answered a part of the queries logs what it answered, and the table says so.
func TestTableOfSampledRows(t *testing.T) {
	ctx := context.Background()
	note := func(tr *tracker.Tracker) bool {
		t.Helper()
		table, err := BuildResultTable(ctx, "circle", Sources{Runs: tr}, Options{})
		expect.NoError(t, err)
		return strings.Contains(tableText(t, table, "text"), "Measured on a sample of the distinct queries:")
	}
	tr := trackertest.Open(t)
	trainSmall(t, tr, func(*config.Config) {})
	if note(tr) {
		t.Error("a table of a run without a sample speaks of one")
	}
	tr = trackertest.Open(t)
	info := trainSmall(t, tr, func(c *config.Config) {
		c.Eval.Sample, c.Eval.Fit, c.Eval.Calibrate = 2, true, true
	})
	if !note(tr) {
		t.Error("the table does not say that its run is measured on a sample")
	}
	rows, err := tr.Relations(ctx, info.ID)
	expect.NoError(t, err)
	for _, r := range rows {
		if r.Queries != 2 {
			t.Errorf("%s, %s, %s: %d queries are logged, want 2", r.Cut, r.Relation, r.Side, r.Queries)
		}
	}
	if len(rows) == 0 {
		t.Error("no results per relation are logged")
	}
}

// TestTableOfFittedRows: the rows of a run with eval.fit, and the notes that explain them.
func TestTableOfFittedRows(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	trainSmall(t, tr, func(c *config.Config) {
		c.Model, c.Variant, c.Eval.Fit = sphere.SpherE3D, sphere.Released,
			true
	})
	table, err := BuildResultTable(ctx, "circle", Sources{Runs: tr}, Options{Full: true})
	expect.NoError(t, err)
	var cuts []string
	for _, row := range table.Rows {
		if adapts(row.Cut) {
			cuts = append(cuts, row.CutName())
		}
	}
	if want := append(eval.FittedNames(), eval.TopMean{}.Name()); !slices.Equal(cuts, want) {
		t.Errorf("rows %q, want %q", cuts, want)
	}
	if len(table.Short) != 2 || table.Short[1].CutName() != fittedNovel {
		t.Errorf("rows for people: %v", table.Short)
	}
	if notes := tableText(t, table, "text"); !strings.Contains(notes, "fitted-side-: one threshold per side") ||
		!strings.Contains(notes, "top-mean: the best l") {
		t.Errorf("notes:\n%s", notes)
	}
	short, err := BuildResultTable(ctx, "circle", Sources{Runs: tr}, Options{})
	expect.NoError(t, err)
	if notes := tableText(t, short, "text"); !strings.Contains(notes, "fitted-novel: one threshold per relation") ||
		strings.Contains(notes, "fitted-side") {
		t.Errorf("notes of one row per model:\n%s", notes)
	}
}
