package experiments

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCoverageOfStack: sets of a coverage, in evaluations and answers, are those of the weights that were fitted
// without the query's validation facts. Other cuts of the same evaluation have all weights.
func TestCoverageOfStack(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	var ids []string
	for _, model := range []string{sphere.SpherE2D, sphere.TransE} {
		cfg := runtest.SmallConfig("bundled")
		cfg.Model, cfg.Eval.Every = model, 0
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		ids = append(ids, trained.RunID)
	}
	made, err := r.Stack(ctx, ids, StackOptions{Trees: true})
	expect.NoError(t, err)
	run, err := answer.Open(ctx, tr, made.RunID, nil)
	expect.NoError(t, err)
	cut, _ := eval.CoverageOf(.7)
	by, err := run.Calibrated(ctx, cut.Name(), 0, nil)
	expect.NoError(t, err)
	report, err := run.Evaluate(ctx, answer.EvalOptions{With: []eval.Limited{cut}, KeepRecords: true}, nil)
	expect.NoError(t, err)
	stacked := run.Model.(*stack.Stack)
	measured := func(m eval.Model, cut eval.Cut) *eval.Report {
		e, err := eval.New(run.Graph, eval.Settings{Cuts: []eval.Cut{cut}, KeepRecords: true, SkipRanking: true})
		expect.NoError(t, err)
		one, err := e.Run(ctx, run.Config.Judged(m, run.Graph))
		expect.NoError(t, err)
		return one
	}
	record := func(r *eval.Report, name string) eval.CutRecord {
		i := slices.IndexFunc(r.Records.Cuts, func(c eval.CutRecord) bool { return c.Name == name })
		if i < 0 || r.Cuts[i].Name != name {
			t.Fatalf("cut %s is %d of %d", name, i, len(r.Cuts))
		}
		return r.Records.Cuts[i]
	}
	got, want := record(report, cut.Name()), record(measured(stacked.Crossed(), cut.By(by)), cut.Name())
	if !slices.Equal(got.Size, want.Size) || !slices.Equal(got.Own, want.Own) {
		t.Error("the evaluation differs from that of the stack for validation queries")
	}
	if all := record(measured(stacked, cut.By(by)), cut.Name()); slices.Equal(got.Size, all.Size) {
		t.Error("the weights without a query's facts make no difference, so this test shows nothing")
	}
	margin := sphere.CriterionMargin
	rest := record(measured(stacked, eval.Criterion(margin)), string(margin))
	if !slices.Equal(record(report, string(margin)).Size, rest.Size) {
		t.Error("another cut has changed")
	}
	ask, err := run.Retriever(ctx, answer.Cut{Name: cut.Name()}, retrieve.Options{}, nil)
	expect.NoError(t, err)
	for i := 0; i < len(got.Size); i += 40 {
		q := kg.Query{Side: kg.HeadSide, Relation: report.Records.Relation[i], Known: report.Records.Given[i]}
		if i >= report.Records.HeadQueries {
			q.Side = kg.TailSide
		}
		a, err := ask.Answer(ctx, q)
		expect.NoError(t, err)
		if n := a.HeldOut + a.Inferred; n != int(want.Size[i]-want.Known[i]) {
			t.Errorf("query %v: %d new answers, want %d", q, n, want.Size[i]-want.Known[i])
		}
	}
	checkRefitCrossed(t, r, run, ids)
	checkKeptFacts(t, r, made.RunID)
}

// checkKeptFacts: a stack has the probabilities of facts that its first question would fit.
func checkKeptFacts(t *testing.T, r *Runner, id string) {
	t.Helper()
	run, err := answer.Open(t.Context(), r.Tracker, id, nil)
	expect.NoError(t, err)
	dir, err := run.Info.ArtifactDir()
	expect.NoError(t, err)
	path := filepath.Join(dir, answer.FactFile)
	before, err := os.ReadFile(path)
	expect.NoError(t, err)
	expect.NoError(t, os.Remove(path))
	ask, err := run.Retriever(t.Context(), answer.Cut{Name: eval.ExpectedNames()[0]}, retrieve.Options{}, nil)
	expect.NoError(t, err)
	_, err = ask.Answer(t.Context(), run.Graph.Test[0].Query(kg.TailSide))
	expect.NoError(t, err)
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the question has fitted %d bytes, the stack had %d (%v)", len(after), len(before), err)
	}
}

// checkRefitCrossed: a refit answers by the weights without a query's validation facts, too, though it knows them.
func checkRefitCrossed(t *testing.T, r *Runner, run *answer.Run, ids []string) {
	t.Helper()
	var parts []string
	for _, id := range ids {
		part, err := r.Refit(t.Context(), id, nil, run.Graph.Whole(), RefitOptions{})
		expect.NoError(t, err)
		parts = append(parts, part.RunID)
	}
	made, err := r.Refit(t.Context(), run.Info.ID, parts, run.Graph.Whole(), RefitOptions{})
	expect.NoError(t, err)
	again, err := answer.Open(t.Context(), r.Tracker, made.RunID, nil)
	expect.NoError(t, err)
	model := again.Model.(*stack.Stack)
	queries := []kg.Query{run.Graph.Valid[0].Query(kg.TailSide), run.Graph.Valid[1].Query(kg.HeadSide)}
	all, crossed := make([]float32, 2*model.Entities()), make([]float32, 2*model.Entities())
	model.Distances(queries, all)
	model.Crossed().Distances(queries, crossed)
	if slices.Equal(all, crossed) {
		t.Error("a refit answers a validation query by the weights of all")
	}
}
