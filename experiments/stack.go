package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// ParamStack has the checkpoint digests of the models that a stack combines, separated by spaces. Other runs lack it.
const ParamStack = "stack"

// tagStackRuns has the ids of the runs whose models a stack combines.
const tagStackRuns = "stack_runs"

// StackOptions say how runs are combined.
type StackOptions struct {
	Name    string // of the new run; "": graph and models
	Threads int    // 0: all cores; never changes a number
	Trees   bool   // with boosted trees on top of the weights

	DropItself bool // as eval.drop_itself; also where the first run's config has it
}

// Stack combines the models of finished runs of one graph into a new run. The weights are fitted on the validation
// facts (package stack). The run keeps copies of the models, and can be resumed from them. Its evaluation has the
// sizes, resamples and seed of the first run, fitted thresholds, and the sets of greatest expected F1. Validation
// queries are judged by weights that were fitted without them.
func (r *Runner) Stack(ctx context.Context, refs []string, o StackOptions) (*Result, error) {
	runs, err := r.openStacked(ctx, refs)
	if err != nil {
		return nil, err
	}
	return r.startStack(ctx, stackConfig(runs, o), runs)
}

// startStack makes the stack of a config as a new run.
func (r *Runner) startStack(ctx context.Context, cfg *Config, runs []*TrainedRun) (*Result, error) {
	simd, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	roots, err := sphere.Roots()
	if err != nil {
		return nil, err
	}
	g := runs[0].Graph
	params, tags := r.params(cfg, g), r.tags(cfg, g, simd, roots, 0)
	var ids, digests []string
	for _, run := range runs {
		ids, digests = append(ids, run.Info.ID), append(digests, run.Model.Digest())
	}
	maps.DeleteFunc(params, func(key, value string) bool { return !ofStack(key, value) })
	params[ParamStack], tags[tagStackRuns] = strings.Join(digests, " "), strings.Join(ids, " ")
	params[ParamConfigHash] = stackHash(params)
	tags["config_hash"] = params[ParamConfigHash]
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.experiment(g), Name: cfg.runName(g),
		Params: params, Tags: tags})
	if err != nil {
		return nil, err
	}
	return r.driveStack(ctx, cfg, g, run, func(s *session) (*storedStack, []stack.Model, error) {
		return s.keepParts(runs)
	})
}

// openStacked opens runs that go together.
func (r *Runner) openStacked(ctx context.Context, refs []string) ([]*TrainedRun, error) {
	if len(refs) < 2 {
		return nil, fmt.Errorf("a stack combines two runs or more, not %d", len(refs))
	}
	var runs []*TrainedRun
	for _, ref := range refs {
		run, err := OpenRun(ctx, r.Tracker, ref, r.DataDirs)
		if err != nil {
			return nil, err
		}
		title := runTitle(run.Info.ID, run.Info.Name)
		if run.saved {
			return nil, notTrained(run.Info)
		}
		if _, trained := run.Model.(*sphere.Model); !trained {
			return nil, fmt.Errorf("%s is a stack itself; a stack combines trained models", title)
		}
		for _, other := range runs {
			switch {
			case other.Info.ID == run.Info.ID:
				return nil, fmt.Errorf("%s is named twice; a stack combines different runs", title)
			case other.Model.Digest() == run.Model.Digest():
				return nil, fmt.Errorf("%s and %s have the same model; a stack combines different ones",
					runTitle(other.Info.ID, other.Info.Name), title)
			}
			if other.Graph.Digest() != run.Graph.Digest() {
				return nil, fmt.Errorf("%s is on graph %s and %s on %s; a stack combines runs on one graph",
					runTitle(other.Info.ID, other.Info.Name), other.Graph.Name, title, run.Graph.Name)
			}
		}
		runs = append(runs, run)
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

// stackConfig is the part of a config that a stack has.
func stackConfig(runs []*TrainedRun, o StackOptions) *Config {
	first, c := runs[0].Config, DefaultConfig()
	var models []string
	for _, run := range runs {
		models = append(models, run.Config.Model)
	}
	if o.Trees {
		models = append(models, sphere.Trees)
	}
	c.Data, c.Split, c.Seed, c.Variant = first.Data, first.Split, first.Seed, sphere.Clean
	c.Model, c.Name, c.Threads = strings.Join(models, sphere.StackedBy), o.Name, o.Threads
	c.Eval.TopL, c.Eval.Bootstrap, c.Eval.Fit = first.Eval.TopL, first.Eval.Bootstrap, true
	c.Eval.Sample, c.Eval.DropItself = first.Eval.Sample, o.DropItself || first.Eval.DropItself
	c.Train.Epochs = 1 // the fit
	return c
}

// ofStack reports whether a param says something about a stack: it has no training of its own. Keys that did not exist
// when the first stacks were logged are left out where they change nothing.
func ofStack(key, value string) bool {
	section, _, nested := strings.Cut(key, ".")
	switch {
	case key == "eval.sample" || key == "eval.drop_itself":
		return value != laterKeys[key]
	case nested:
		return section == "split" || key == "eval.top_l" || key == "eval.bootstrap" || key == "eval.fit"
	}
	return slices.Contains([]string{"data", "model", "variant", "seed", "threads", "name", ParamGraph, ParamGraphDigest,
		ParamNumerics}, key)
}

// stackHash identifies what decides the numbers of a stack on a graph: the models and the evaluation.
func stackHash(params map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if InIdentity(key) && key != ParamGraphDigest && key != ParamNumerics {
			fmt.Fprintf(h, "%q=%q\n", key, params[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
