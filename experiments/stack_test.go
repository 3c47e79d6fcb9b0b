package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestStackIsARunLikeOthers combines two runs twice, deletes the models that it was made of, and asks, evaluates and
// explains the stack.
func TestStackIsARunLikeOthers(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	graph := runtest.CircleGraph(t, 100) // with ten validation facts
	var ids []string
	for _, model := range []string{sphere.SpherE2D, sphere.TransE} {
		cfg := runtest.SmallConfig(graph)
		cfg.Model, cfg.Eval.Every = model, 0
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		ids = append(ids, trained.RunID)
	}
	first, err := r.Stack(ctx, ids, StackOptions{Threads: 1})
	expect.NoError(t, err)
	again, err := r.Stack(ctx, ids, StackOptions{Threads: 3, Name: "again"})
	expect.NoError(t, err)
	if first.Digest != again.Digest || !maps.Equal(runtest.Logged(t, tr, first.RunID), runtest.Logged(t, tr,
		again.RunID)) {
		t.Error("the same stack has other numbers with three threads")
	}
	info, err := tr.FindRun(ctx, "again")
	expect.NoError(t, err)
	same, err := tr.FindRun(ctx, first.RunID)
	a, b := info.Params[config.ParamHash], same.Params[config.ParamHash]
	if err != nil || a != b || len(a) != 64 {
		t.Errorf("hashes %q and %q, %v", a, b, err)
	}
	if info.Params["model"] != "sphere-2d+transe" || info.Params["train.epochs"] != "" || info.Status != "FINISHED" ||
		info.Tags[answer.TagStackRuns] != strings.Join(ids, " ") {
		t.Errorf("params %v, tags %v", info.Params, info.Tags)
	}
	for _, key := range []string{"valid/mrr", "test/mrr", "test/expected-novel/head_f1", "test/fitted-novel/tail_f1",
		"valid/head_ece", "valid/tail_brier", "test/head_brier", "test/tail_ece"} {
		if _, ok := info.Metrics[key]; !ok {
			t.Errorf("%s is not logged", key)
		}
	}
	for _, id := range ids {
		base, err := tr.FindRun(ctx, id)
		expect.NoError(t, err)
		dir, err := base.ArtifactDir()
		expect.NoError(t, err)
		expect.NoError(t, os.Remove(filepath.Join(dir, answer.ModelFile)))
	}
	run, err := answer.Open(ctx, tr, "again", nil)
	expect.NoError(t, err)
	if run.Model.Digest() != first.Digest || sphere.Title(run.Config.Model) != "SpherE-2D + TransE" {
		t.Errorf("%s, digest %s", run.Title(), run.Model.Digest())
	}
	evaluateStack(t, ctx, run, info)
	askStack(t, ctx, run)
	for want, refs := range map[string][]string{
		"is a stack itself":        {"again", first.RunID},
		"has no trained model":     {ids[0], ids[1]},
		"at least two runs, got 1": {"again"},
	} {
		if _, err := r.Stack(ctx, refs, StackOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", refs, err, want)
		}
	}
}

// evaluateStack evaluates a stack again: the numbers are those that are logged.
func evaluateStack(t *testing.T, ctx context.Context, run *answer.Run, info tracker.RunInfo) {
	t.Helper()
	report, err := run.Evaluate(ctx, answer.EvalOptions{}, nil)
	expect.NoError(t, err)
	if want := run.CutNames(answer.EvalOptions{}); !slices.Contains(want, "expected-novel") ||
		!slices.ContainsFunc(report.Cuts, func(c eval.Result) bool { return c.Name == "expected-novel" }) {
		t.Errorf("a second evaluation has the cuts %v", want)
	}
	for key, value := range report.Metrics() {
		if logged, ok := info.Metrics[key]; ok && logged != value && !strings.Contains(key, "_lo") &&
			!strings.Contains(key, "_hi") {
			t.Errorf("%s is %v in the second evaluation, %v is logged", key, value, logged)
		}
	}
	for crossed, judge := range map[bool]eval.Model{true: run.Config.Judged(run.Model.(*stack.Stack).Crossed(),
		run.Graph), false: run.Model} {
		valid, err := eval.Run(ctx, judge, run.Graph, run.Config.ValidationSettings())
		expect.NoError(t, err)
		rank, logged := valid.LoggedMetrics()["valid/mr"], info.Metrics["valid/mr"]
		if rank == 0 || crossed != (rank == logged) {
			t.Errorf("validation, by crossed weights %v: mean rank %v, logged is %v", crossed, rank, logged)
		}
	}
}

// askStack asks a stack by several cuts; one about radii is refused.
func askStack(t *testing.T, ctx context.Context, run *answer.Run) {
	t.Helper()
	q := kg.Query{Side: kg.TailSide, Known: 3}
	for _, cut := range []string{"", "margin", "fitted-f1", "expected-novel", "top-3"} {
		by, err := run.Retriever(ctx, answer.Cut{Name: cut}, retrieve.Options{}, nil)
		if err != nil {
			t.Errorf("cut %q: %v", cut, err)
			continue
		}
		if a, err := by.Answer(ctx, q); err != nil || cut == "top-3" && len(a.Set) != 3 {
			t.Errorf("cut %q: %d answers, %v", cut, len(a.Set), err)
		}
		if _, err := by.Explain(ctx, run.Graph.Test[0]); err != nil {
			t.Errorf("cut %q: %v", cut, err)
		}
	}
	if _, err := run.Retriever(ctx, answer.Cut{Name: "sphere"}, retrieve.Options{}, nil); err == nil ||
		!strings.Contains(err.Error(), "margin for a stack") {
		t.Errorf("cut sphere of a stack: %v", err)
	}
}

// trainTwo trains two runs that differ in their seeds alone and are not measured, and returns their ids.
func trainTwo(t *testing.T, tr *tracker.Tracker, graph string) (ids []string) {
	t.Helper()
	for _, seed := range []uint64{1, 2} {
		cfg := runtest.SmallConfig(graph)
		cfg.Seed, cfg.Eval.Every, cfg.Eval.Final = seed, 0, false
		trained, err := (&Runner{Tracker: tr}).Train(context.Background(), runtest.Checked(t, cfg))
		expect.NoError(t, err)
		ids = append(ids, trained.RunID)
	}
	return ids
}

func openBoth(t *testing.T, tr *tracker.Tracker, ids []string) (runs []*answer.Run) {
	t.Helper()
	for _, id := range ids {
		run, err := answer.Open(context.Background(), tr, id, nil)
		expect.NoError(t, err)
		runs = append(runs, run)
	}
	return runs
}

// TestStackIsResumed: a stack with trees that was stopped, while trees grow or while it is evaluated, is resumed to the
// numbers of one that was not, without the runs that it was made of. A panic does not leave it running.
func TestStackIsResumed(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	ids := trainTwo(t, tr, runtest.CircleGraph(t, 20))
	if _, err := (&Runner{Tracker: tr}).Stack(ctx, []string{ids[0], ids[0]}, StackOptions{}); err == nil ||
		!strings.Contains(err.Error(), "is named twice") {
		t.Errorf("one run twice: %v", err)
	}
	whole, err := (&Runner{Tracker: tr}).Stack(ctx, ids, StackOptions{Trees: true})
	expect.NoError(t, err)
	fewFacts(t, tr, whole.RunID)
	if info, err := tr.FindRun(ctx, whole.RunID); err != nil || info.Params["model"] != "sphere-2d+sphere-2d+trees" ||
		answer.CanResume(info) {
		t.Errorf("model %s, %v", info.Params["model"], err)
	}
	plain, err := (&Runner{Tracker: tr}).Stack(ctx, ids, StackOptions{})
	if err != nil || plain.Digest == whole.Digest {
		t.Errorf("without trees the digest is the same; %v", err)
	}
	// Stacks of earlier versions have no param stack.classes, as one without them.
	for _, o := range []StackOptions{{Trees: true}, {Trees: true, WithoutClasses: true}, {}} {
		c, _ := (&Runner{Tracker: tr}).stackParams(stackConfig(openBoth(t, tr, ids), o), openBoth(t, tr, ids), nil)
		if have, want := c["stack.classes"], map[bool]string{true: "true"}[o.Trees && !o.WithoutClasses]; have != want {
			t.Errorf("%+v: stack.classes is %q, want %q", o, have, want)
		}
	}
	countless, err := (&Runner{Tracker: tr}).Stack(ctx, ids, StackOptions{WithoutCounts: true})
	if err != nil || countless.Digest == plain.Digest {
		t.Fatalf("without counts the digest is the same; %v", err)
	}
	countlessInfo, err := tr.FindRun(ctx, countless.RunID)
	expect.NoError(t, err)
	again, err := (&Runner{Tracker: tr}).Reproduce(ctx, countlessInfo, ReproduceOptions{})
	if err != nil || again.Digest != countless.Digest {
		t.Errorf("a stack without counts is not reproduced: %+v, %v", again, err)
	}
	for name, at := range map[string]func(progress.Event) bool{
		"growing": func(e progress.Event) bool { return e.Message == progress.Growing },
		"evaluating": func(e progress.Event) bool {
			return e.Event == progress.Evaluating && e.Message == "" && e.Done == e.Total
		},
		"begun": func(e progress.Event) bool { return e.Event == progress.Note },
	} {
		stopped, cancel := context.WithCancel(ctx)
		seen := 0
		_, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			if at(e) {
				if seen++; seen > 1 || name != "evaluating" { // the first ones are those of the fit
					cancel()
				}
			}
		})}).Stack(stopped, ids, StackOptions{Name: name, Trees: true})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "was interrupted") {
			t.Errorf("%s: error %v", name, err)
		}
		info, err := tr.FindRun(ctx, name)
		if err != nil || info.Status != string(tracker.Killed) || !answer.CanResume(info) {
			t.Errorf("%s: status %s, can be resumed %v, %v", name, info.Status, answer.CanResume(info), err)
		}
		if _, err := answer.Open(ctx, tr, name, nil); err == nil && name != "evaluating" {
			t.Errorf("%s: an interrupted stack was opened", name)
		}
	}
	for _, id := range ids {
		expect.NoError(t, os.RemoveAll(artifacts(t, tr, id)))
	}
	for _, name := range []string{"growing", "evaluating", "begun"} {
		if _, err := (&Runner{Tracker: tr}).Resume(ctx, name, config.Layers{Set: []string{"seed=9"}}); err == nil ||
			!strings.Contains(err.Error(), "start a new run for 9") {
			t.Errorf("%s with another seed: %v", name, err)
		}
		resumed, err := (&Runner{Tracker: tr}).Resume(ctx, name, config.Layers{Set: []string{"threads=3"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if resumed.Digest != whole.Digest || !maps.Equal(runtest.Logged(t, tr, resumed.RunID), runtest.Logged(t, tr,
			whole.RunID)) {
			t.Errorf("%s: a resumed stack has other numbers", name)
		}
		if run, err := answer.Open(ctx, tr, name, nil); err != nil || run.Model.Digest() != whole.Digest ||
			run.Title() != "SpherE-2D + SpherE-2D + trees (clean), run "+tracker.ShortID(resumed.RunID) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStackPanics: a panic while a stack is made ends its run as FAILED.
func TestStackPanics(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	ids := trainTwo(t, tr, runtest.CircleGraph(t, 20))
	func() {
		defer func() {
			if p := recover(); p != "broken" {
				t.Errorf("panic %v", p)
			}
		}()
		_, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			if e.Event == progress.Evaluating {
				panic("broken")
			}
		})}).Stack(ctx, ids, StackOptions{Name: "panics"})
		t.Errorf("no panic: %v", err)
	}()
	if info, err := tr.FindRun(ctx, "panics"); err != nil || info.Status != string(tracker.Failed) {
		t.Errorf("status %s, %v", info.Status, err)
	}
}

func artifacts(t *testing.T, tr *tracker.Tracker, ref string) string {
	t.Helper()
	info, err := tr.FindRun(context.Background(), ref)
	expect.NoError(t, err)
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	return dir
}

// TestDamagedStack: a model that is not the one that was combined is refused.
func TestDamagedStack(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	ids := trainTwo(t, tr, runtest.CircleGraph(t, 20))
	made, err := (&Runner{Tracker: tr}).Stack(ctx, ids, StackOptions{})
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, made.RunID)
	expect.NoError(t, err)
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	other, err := os.ReadFile(filepath.Join(dir, "stack-2.safetensors"))
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "stack-1.safetensors"), other, 0o644))
	if _, err := answer.Open(ctx, tr, made.RunID, nil); err == nil ||
		!strings.Contains(err.Error(), "is not the model of run") {
		t.Errorf("another model: %v", err)
	}
}

// fewFacts: a stack on less than ten validation facts is measured by thresholds alone, as it answers.
func fewFacts(t *testing.T, tr *tracker.Tracker, id string) {
	t.Helper()
	run, err := answer.Open(context.Background(), tr, id, nil)
	expect.NoError(t, err)
	if got, want := run.CutNote(answer.Cut{}), "cut "+"fitted-novel"+": "+"thresholds are fitted on 2 validation facts, too few for probabilities, which need 10"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	for key := range run.Info.Metrics {
		if strings.HasPrefix(key, "test/expected-") || strings.HasSuffix(key, "_ece") {
			t.Errorf("%s is logged with %d validation facts", key, len(run.Graph.Valid))
		}
	}
	if names := run.CutNames(answer.EvalOptions{}); slices.Contains(names, "expected-novel") {
		t.Errorf("a second evaluation has the cuts %v", names)
	}
}

// TestStackRefuses names the split that is missing.
func TestStackRefuses(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	for missing, what := range map[string]string{"valid": "no validation facts", "test": "no test facts"} {
		file := filepath.Join(t.TempDir(), missing+".tsv")
		var facts strings.Builder
		for i := range 20 {
			split := "train"
			if i%5 == 0 {
				split = map[string]string{"valid": "test", "test": "valid"}[missing]
			}
			fmt.Fprintf(&facts, "e%d\tr\te%d\ttrain\ne%d\ts\te%d\t%s\n", i, (i+1)%20, i, (i+2)%20, split)
		}
		expect.NoError(t, os.WriteFile(file, []byte(facts.String()), 0o600))
		ids := trainTwo(t, tr, file)
		_, err := (&Runner{Tracker: tr}).Stack(ctx, ids, StackOptions{})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}
