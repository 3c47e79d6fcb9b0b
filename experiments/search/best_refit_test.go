package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// quick are layers with which all models of a Best are made in a moment.
var quick = config.Layers{Set: []string{"train.epochs=4", "train.save_every=1", "eval.every=2", "dimension=8", "gamma=6",
	"train.steps=40", "eval.bootstrap=20"}}

// refitted makes what a Best makes, and that again on all facts. Data is the graph's file or folder.
func refitted(ctx context.Context, t *testing.T, r *experiments.Runner, data, threads string, say func(string)) (
	*search.Best, []*experiments.Result, *experiments.Result, error) {
	t.Helper()
	l := config.Layers{Set: append(slices.Clone(quick.Set), "threads="+threads)}
	b, err := search.PlanBest(l, data, nil, time.Hour, true)
	expect.NoError(t, err)
	made, err := b.Run(ctx, r, search.Options{Say: say})
	if err != nil {
		return b, made, nil, err
	}
	again, err := b.Again(ctx, r, made, search.Options{Say: say})
	return b, made, again, err
}

// TestRefit: the stack is trained again on all facts with what was found, answers for the graph, and has no numbers of
// its own.
func TestRefit(t *testing.T) {
	t.Parallel()
	data := runtest.CircleGraph(t, 100)
	ctx, tr := t.Context(), trackertest.Open(t)
	var kept []string // names of refits that have all that was fitted when their files are sent
	r := &experiments.Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		info, err := tr.FindRun(ctx, e.RunID)
		if e.Event == progress.RunFinished && err == nil && strings.HasSuffix(e.RunName, "-refit") &&
			runtest.Artifact(t, info, answer.CalibrationFile) != "" && runtest.Artifact(t, info, answer.ThresholdsFile) != "" {
			kept = append(kept, e.RunName)
		}
	})}
	b, made, again, err := refitted(ctx, t, r, data, "1", nil)
	if len(kept) != len(b.Members)+1 {
		t.Errorf("thresholds and probabilities are kept by %q of %d", kept, len(b.Members)+1)
	}
	expect.NoError(t, err)
	if plan := b.Plan()[0]; !strings.Contains(plan, "and their stack, then the same again on all facts, about") {
		t.Error(plan)
	}
	once, err := search.PlanBest(quick, data, nil, time.Hour, false)
	expect.NoError(t, err)
	for i, m := range b.Members {
		trained := m.Config().Model == "sphere-2d" || m.Config().Model == "complex"
		if more := m.Cost > once.Members[i].Cost; more != trained {
			t.Errorf("%s costs %v with a refit and %v without", m.Name, m.Cost, once.Members[i].Cost)
		}
	}
	found, err := r.FindAnswerer(ctx, b.Graph)
	expect.NoError(t, err)
	stack := made[len(made)-1]
	refits, err := tr.Runs(ctx, tracker.Filter{Tags: map[string]string{answer.TagRefitOf: found.Run.ID}})
	expect.NoError(t, err)
	if len(refits) != 1 || found.Run.ID != stack.RunID || found.Answers().ID != refits[0].ID ||
		found.Runs != len(made) {
		t.Errorf("%s answers, of %d runs; the best is %s, its refits %d", found.Answers().Name, found.Runs, found.Run.Name,
			len(refits))
	}
	table, err := results.BuildResultTable(ctx, b.Graph.Name, results.Sources{Runs: tr}, results.Options{All: true})
	expect.NoError(t, err)
	if text := table.Grid("text"); len(table.Rows) == 0 || strings.Contains(fmt.Sprint(text.Notes), "refit") {
		t.Errorf("a table has a run that was not measured: %v", text.Notes)
	}
	before, after := open(t, tr, stack.RunID), open(t, tr, again.RunID)
	if after.Info.Name != stack.RunName+"-refit" || answer.ReadLogged(after.Info).RefitOf != stack.RunID ||
		len(after.Graph.Train) != 300 || len(after.Graph.Test) != 0 || after.Info.Tags["default_cut"] == "" {
		t.Errorf("%s is of run %s, on %s", after.Info.Name, after.Info.Tags[answer.TagRefitOf], after.Graph.Division)
	}
	for _, m := range append(made, stack) {
		run, err := tr.Runs(ctx, tracker.Filter{Tags: map[string]string{answer.TagRefitOf: m.RunID}})
		expect.NoError(t, err)
		measured, err := tr.FindRun(ctx, m.RunID)
		expect.NoError(t, err)
		if best := measured.Tags[answer.TagBestEpoch]; best != "" && run[0].Params["train.epochs"] != best {
			t.Errorf("%s has %s epochs, the best of %s was %s", run[0].Name, run[0].Params["train.epochs"], m.RunName, best)
		}
		for key := range run[0].Metrics {
			if strings.HasPrefix(key, "test/") || strings.HasPrefix(key, "valid/") {
				t.Errorf("%s has %s", run[0].Name, key)
			}
		}
	}
	checkAnswers(t, before, after)
	checkRefused(t, before, after)
}

func open(t *testing.T, tr *tracker.Tracker, id string) *answer.Run {
	t.Helper()
	run, err := answer.Open(t.Context(), tr, id, nil)
	expect.NoError(t, err)
	return run
}

// checkAnswers: what was held out is known to the refit, whose cut and probabilities are those of the measured run.
func checkAnswers(t *testing.T, before, after *answer.Run) {
	t.Helper()
	ctx := t.Context()
	held := before.Graph.Test[0]
	marks := map[*answer.Run]retrieve.Mark{}
	for _, run := range []*answer.Run{before, after} {
		by, err := run.Retriever(ctx, answer.Cut{}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		x, err := by.Explain(ctx, held)
		expect.NoError(t, err)
		marks[run] = x.Mark
		other := kg.Triple{Head: held.Head, Relation: held.Relation, Tail: held.Head}
		if x, err = by.Explain(ctx, other); err != nil || x.Probability == nil || x.Mark != retrieve.NotInGraph {
			t.Errorf("%s gives no probability to a new fact: %+v, %v", run.Info.Name, x, err)
		}
	}
	if marks[before] != retrieve.HeldOut || marks[after] != retrieve.Known {
		t.Errorf("a test fact is %v and then %v", marks[before], marks[after])
	}
	mine, err := before.Calibrated(ctx, "expected-novel", 0, nil)
	expect.NoError(t, err)
	theirs, err := after.Calibrated(ctx, "expected-novel", 0, nil)
	expect.NoError(t, err)
	if mine.New.Head[0] != theirs.New.Head[0] || before.DefaultCut(kg.HeadSide) != after.DefaultCut(kg.HeadSide) {
		t.Errorf("the refit has other probabilities, and cut %s instead of %s", after.DefaultCut(kg.HeadSide),
			before.DefaultCut(kg.HeadSide))
	}
}

// checkRefused: nothing measures a refit, and what refuses it names the run that was measured.
func checkRefused(t *testing.T, before, after *answer.Run) {
	t.Helper()
	ctx := t.Context()
	_, err1 := after.Evaluate(ctx, answer.EvalOptions{}, nil)
	_, err2 := after.Evaluate(ctx, answer.EvalOptions{Valid: true}, nil)
	_, err3 := after.Reliability(ctx, nil, 0, nil)
	_, err4 := answer.EvalOptions{}.Measuring(after, "fitted-f1")
	_, err5 := results.ComparePaired(ctx, before, after, "", "", answer.EvalOptions{}, nil)
	for i, err := range []error{err1, err2, err3, err4, err5, errors.New(strings.Join(answer.Warnings(after.Info), ""))} {
		measure := []hint.Hint{{Action: hint.MeasureRun, Subject: before.Info.ID},
			{Action: hint.MeasureHidden, Subject: after.Info.ID}}
		if of := hint.Of(err); i < 5 && !slices.Equal(of, measure) {
			t.Errorf("%d: hints %v", i+1, of)
		}
		want := "all facts, so none is left to measure it; run " + tracker.ShortID(before.Info.ID) + " was measured"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", i+1, err)
		}
	}
	if err := before.Measurable(); err != nil || len(answer.Warnings(before.Info)) > 1 {
		t.Errorf("the measured run: %v, %q", err, answer.Warnings(before.Info))
	}
}

// TestRefitContinues: stops in a refit and in the stack of refits lose nothing. The bits are those without stops, on
// any number of threads, and those of a reproduction.
func TestRefitContinues(t *testing.T) {
	t.Parallel()
	data := runtest.CircleGraph(t, 60)
	ctx, whole, stopped := t.Context(), trackertest.Open(t), trackertest.Open(t)
	_, _, want, err := refitted(ctx, t, &experiments.Runner{Tracker: whole}, data, "1", nil)
	expect.NoError(t, err)
	for i, moment := range []func(progress.Event) bool{
		func(e progress.Event) bool {
			return e.Event == progress.EpochDone && strings.Contains(e.RunName, "sphere") && strings.HasSuffix(e.RunName, "refit")
		},
		func(e progress.Event) bool {
			return strings.HasSuffix(e.RunName, "best-refit") && strings.Contains(e.Message, "weights")
		},
	} {
		ctx, cancel := context.WithCancel(ctx)
		r := &experiments.Runner{Tracker: stopped, Progress: runtest.Watch(func(e progress.Event) {
			if moment(e) {
				cancel()
			}
		})}
		if _, _, _, err := refitted(ctx, t, r, data, "2", nil); err == nil {
			t.Fatalf("stop %d: not stopped", i)
		}
		cancel()
	}
	var said []string
	r := &experiments.Runner{Tracker: stopped}
	_, _, got, err := refitted(ctx, t, r, data, "2", func(line string) { said = append(said, line) })
	expect.NoError(t, err)
	if got.Digest != want.Digest {
		t.Errorf("refit %s after stops, %s without", got.Digest, want.Digest)
	}
	text := strings.Join(said, "\n")
	if n := strings.Count(text, "on all facts: done already"); n != 5 ||
		!strings.Contains(text, "12 of 12: their stack on all facts: resuming run ") {
		t.Errorf("%d refits are taken as they are, want 5: %s", n, text)
	}
	_, _, third, err := refitted(ctx, t, r, data, "2", nil)
	if err != nil || third.RunID != got.RunID {
		t.Errorf("the third time: %v, run %s, want %s", err, third.RunID, got.RunID)
	}
	info, err := stopped.FindRun(ctx, got.RunID)
	expect.NoError(t, err)
	for _, id := range append(answer.ReadLogged(info).StackRuns, info.ID) {
		info, err := stopped.FindRun(ctx, id)
		expect.NoError(t, err)
		twin, err := r.Reproduce(ctx, info, experiments.ReproduceOptions{Threads: 1})
		expect.NoError(t, err)
		if twin.Digest != info.Tags[answer.TagDigest] {
			t.Errorf("%s: reproduced %s, want %s", info.Name, twin.Digest, info.Tags[answer.TagDigest])
		}
		again, err := stopped.FindRun(ctx, twin.RunID)
		expect.NoError(t, err)
		v, err := results.VerifyRun(ctx, stopped, results.Read(again), results.Read(info), nil)
		if err != nil || len(v.Differences) > 0 {
			t.Errorf("%s: %v, %v", info.Name, v.Differences, err)
		}
	}
}

// TestRefitOfAChangedFile: a fact that is added between measuring and the refit ends the work.
func TestRefitOfAChangedFile(t *testing.T) {
	t.Parallel()
	data := runtest.CircleGraph(t, 60)
	b, err := search.PlanBest(quick, data, nil, time.Second, true)
	expect.NoError(t, err)
	r := &experiments.Runner{Tracker: trackertest.Open(t)}
	made, err := b.Run(t.Context(), r, search.Options{})
	expect.NoError(t, err)
	file, err := os.OpenFile(filepath.Join(data, "train.txt"), os.O_APPEND|os.O_WRONLY, 0)
	expect.NoError(t, err)
	_, err = file.WriteString("e00\tplus1\te02\n")
	expect.NoError(t, errors.Join(err, file.Close()))
	if _, err := b.Again(t.Context(), r, made, search.Options{}); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
}
