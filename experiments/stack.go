package experiments

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// StackOptions are how runs are combined.
type StackOptions struct {
	Name    string // of the new run; "": graph and models
	Threads int    // 0: all cores; never changes a number
	Trees   bool   // with boosted trees on top of the weights

	WithoutCounts  bool // fitted without counts of training facts, see stack.Settings
	WithoutClasses bool // trees do not see how typical entities are, see stack.Settings

	DropItself bool // as eval.drop_itself; also set if the first run's config has it

	Sample int // eval.sample of the stack; 0: the smallest of its runs, all queries if none has one
}

// Stack combines the models of finished runs of one graph into a new run. The weights are fitted on the validation
// facts (package stack), or on a sample of their queries, also for the evaluation: that of the options, else the
// smallest of a run. The run keeps copies of the models, and can be resumed from them. Its evaluation has the sizes,
// resamples and seed of the first run, fitted thresholds, and the sets of greatest expected F1. Validation queries are
// judged by weights that were fitted without them.
func (r *Runner) Stack(ctx context.Context, refs []string, o StackOptions) (*Result, error) {
	runs, err := r.openFitted(ctx, refs)
	if err != nil {
		return nil, err
	}
	return r.startStack(ctx, stackConfig(runs, o), runs, nil)
}

// StackOnce is Stack, but returns a finished run with the same models and options if there is one, without its report,
// and resumes an interrupted one.
func (r *Runner) StackOnce(ctx context.Context, refs []string, o StackOptions) (*Result, error) {
	runs, err := r.openFitted(ctx, refs)
	if err != nil {
		return nil, err
	}
	cfg, g := stackConfig(runs, o), runs[0].Graph
	params, _ := r.stackParams(cfg, runs, nil)
	before, begun, err := r.madeBefore(ctx, params, nil)
	switch {
	case err != nil:
		return nil, err
	case begun:
		return r.Resume(ctx, before.ID, config.Layers{})
	case before.ID != "":
		return resultOf(before, g), nil
	}
	return r.startStack(ctx, cfg, runs, nil)
}

// madeBefore returns a finished run with its model, of the identity, graph and numerics version in params, and with
// the tags. Otherwise it returns one that was begun and can be resumed, and otherwise one without an id.
func (r *Runner) madeBefore(ctx context.Context, params, tags map[string]string) (run tracker.RunInfo, begun bool,
	err error) {
	before, err := r.Tracker.Runs(ctx, tracker.Filter{Tags: tags, Params: map[string]string{
		config.ParamHash: params[config.ParamHash], answer.ParamGraphDigest: params[answer.ParamGraphDigest],
		answer.ParamNumerics: params[answer.ParamNumerics]}})
	if err != nil {
		return run, false, err
	}
	before = slices.DeleteFunc(before, func(run tracker.RunInfo) bool {
		return answer.ReadLogged(run).Ended > 0 // it has not what its config says
	})
	for _, run := range before {
		if run.Status == string(tracker.Finished) && answer.HasModel(run) {
			return run, false, nil
		}
	}
	for _, run := range before {
		if can, err := r.CanResume(ctx, run); err == nil && can {
			return run, true, nil
		}
	}
	return run, false, nil
}

// resultOf is the result of a run that was finished before, without its report.
func resultOf(run tracker.RunInfo, g *kg.Graph) *Result {
	return &Result{RunID: run.ID, RunName: run.Name, Digest: run.Tags[answer.TagDigest], Graph: g}
}

// stackParams returns the params of a stack, and the ids of its runs. of is the stack that was measured, of a refit.
func (r *Runner) stackParams(cfg *config.Config, runs []*answer.Run, of *stack.Stack) (params map[string]string,
	ids []string) {
	params = r.params(cfg, runs[0].Graph)
	var digests []string
	for _, run := range runs {
		ids, digests = append(ids, run.Info.ID), append(digests, run.Model.Digest())
	}
	maps.DeleteFunc(params, func(key, value string) bool { return !ofStack(key, value) })
	params[answer.ParamStack] = strings.Join(digests, " ")
	if of != nil {
		params[answer.ParamRefit] = of.Digest()
	}
	params[config.ParamHash] = stackHash(params)
	return params, ids
}

// startStack makes the stack of a config as a new run. A refit has the weights of the stack that was measured; of is
// nil for others.
func (r *Runner) startStack(ctx context.Context, cfg *config.Config, runs []*answer.Run, of *stack.Stack) (*Result,
	error) {
	simd, roots, err := kernels()
	if err != nil {
		return nil, err
	}
	g := runs[0].Graph
	tags := r.tags(cfg, g, simd, roots, 0)
	params, ids := r.stackParams(cfg, runs, of)
	tags[answer.TagStackRuns], tags["config_hash"] = strings.Join(ids, " "), params[config.ParamHash]
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.ExperimentIn(g), Name: cfg.RunName(g),
		Params: params, Tags: tags})
	if err != nil {
		return nil, err
	}
	return r.driveStack(ctx, cfg, g, run, func(s *session, _ context.Context, o *outcome) (err error) {
		o.stored, o.parts, err = s.keepParts(runs, of)
		return err
	})
}

// openFitted is openStacked for a stack that is fitted and measured.
func (r *Runner) openFitted(ctx context.Context, refs []string) ([]*answer.Run, error) {
	runs, err := r.openStacked(ctx, refs)
	if err != nil {
		return nil, err
	}
	switch g := runs[0].Graph; {
	case len(g.Valid) == 0:
		return nil, fmt.Errorf("graph %s has no validation facts, on which the weights of a stack are fitted; train the "+
			"runs on a graph that has some", g.Name)
	case len(g.Test) == 0:
		return nil, fmt.Errorf("graph %s has no test facts, on which a stack is evaluated; train the runs on a graph that "+
			"has some", g.Name)
	}
	return runs, nil
}

// openStacked opens the runs of a stack and checks that they fit together.
func (r *Runner) openStacked(ctx context.Context, refs []string) ([]*answer.Run, error) {
	if len(refs) < 2 {
		return nil, fmt.Errorf("a stack needs at least two runs, got %d", len(refs))
	}
	var runs []*answer.Run
	for _, ref := range refs {
		run, err := answer.Open(ctx, r.Tracker, ref, r.DataDirs)
		if err != nil {
			return nil, err
		}
		title := answer.RunTitle(run.Info.ID, run.Info.Name)
		if !run.IsFinished() {
			return nil, answer.NotTrained(run.Info)
		}
		if _, stacked := run.Model.(*stack.Stack); stacked {
			return nil, fmt.Errorf("%s is a stack itself; a stack combines trained models", title)
		}
		if s, ok := run.Model.(*answer.Scores); ok && !s.CoversValidation() {
			return nil, fmt.Errorf("%s scores no query of the validation facts, on which the weights of a stack are fitted; add "+
				"them to its file and judge that", title)
		}
		for _, other := range runs {
			switch {
			case other.Info.ID == run.Info.ID:
				return nil, fmt.Errorf("%s is named twice; a stack combines different runs", title)
			case other.Model.Digest() == run.Model.Digest():
				return nil, fmt.Errorf("%s and %s have the same model; a stack combines different ones",
					answer.RunTitle(other.Info.ID, other.Info.Name), title)
			}
			if other.Graph.Digest() != run.Graph.Digest() {
				return nil, fmt.Errorf("%s is on graph %s and %s on %s; a stack combines runs on one graph",
					answer.RunTitle(other.Info.ID, other.Info.Name), other.Graph.Name, title, run.Graph.Name)
			}
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// stackConfig returns the part of a config that a stack has.
func stackConfig(runs []*answer.Run, o StackOptions) *config.Config {
	first, c := runs[0].Config, config.Default()
	var models []string
	for _, run := range runs {
		models = append(models, run.Config.Model)
	}
	if o.WithoutCounts {
		models = append(models, sphere.NoCounts)
	}
	if o.Trees {
		models = append(models, sphere.Trees)
	}
	c.Data, c.Split, c.Seed, c.Variant = first.Data, first.Split, first.Seed, sphere.Clean
	c.Model, c.Name, c.Threads = strings.Join(models, sphere.StackedBy), o.Name, o.Threads
	c.Eval.TopL, c.Eval.Bootstrap, c.Eval.Fit = first.Eval.TopL, first.Eval.Bootstrap, true
	c.Eval.Sample = cmp.Or(o.Sample, answer.LeastSample(runs...))
	c.Eval.DropItself = o.DropItself || first.Eval.DropItself
	c.Stack.Classes = o.Trees && !o.WithoutClasses
	c.Train.Epochs = 1 // the fit
	return c
}

// ofStack reports whether a param applies to a stack, which has no training of its own. Keys that did not exist when
// the first stacks were logged are left out if they change nothing.
func ofStack(key, value string) bool {
	section, _, nested := strings.Cut(key, ".")
	switch {
	case key == "eval.sample" || key == "eval.drop_itself" || key == "split.whole" || key == "stack.classes":
		before, _ := config.Before(key)
		return value != before
	case nested:
		return section == "split" || key == "eval.top_l" || key == "eval.bootstrap" || key == "eval.fit"
	}
	return slices.Contains([]string{"data", "model", "variant", "seed", "threads", "name", answer.ParamGraph, answer.ParamGraphDigest,
		answer.ParamNumerics, answer.ParamRefit}, key)
}

// stackHash returns a hash of what decides the numbers of a stack on a graph: the models and the evaluation.
func stackHash(params map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if config.InIdentity(key) && key != answer.ParamGraphDigest && key != answer.ParamNumerics {
			fmt.Fprintf(h, "%q=%q\n", key, params[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
