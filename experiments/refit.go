package experiments

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// RefitOptions are how a measured run is trained again on all facts.
type RefitOptions struct {
	Flags []config.FlagValue // for a refit that is resumed: threads and the tracker
	Say   func(string)       // receives what is done: trained, resumed, or found as it is; may be nil
}

// Refit trains the model of a measured run again on all facts. g is the whole graph. The new run, NAME-refit, has what
// the measured one has found: values of auto keys, the epochs after which its best model was, and how it asks for
// heads. It has no numbers of its own, and answers by the thresholds and probabilities of the measured run. A finished
// refit is taken as it is, and one that was interrupted is resumed.
//
// A stack combines the refits of its runs, in their order, with the weights of the measured one; other runs have no
// parts.
func (r *Runner) Refit(ctx context.Context, ref string, parts []string, g *kg.Graph, o RefitOptions) (*Result, error) {
	info, err := answer.FindFinished(ctx, r.Tracker, ref)
	if err != nil {
		return nil, err
	}
	cannot := func(err error) error {
		return fmt.Errorf("%s cannot be trained again on all facts: %w", answer.RunTitle(info.ID, info.Name), err)
	}
	cfg, err := refitConfig(info, g)
	if err != nil {
		return nil, cannot(err)
	}
	again, err := r.refitOf(ctx, cfg, info, parts, g)
	if err != nil {
		return nil, cannot(err)
	}
	result, err := r.once(ctx, again, g, o)
	if err != nil {
		return nil, err
	}
	_, err = r.Tracker.ReplaySpools(ctx) // of a run that ended while the database was away
	return result, err
}

// refit is a training on all facts that may have been made before.
type refit struct {
	of     string            // id of the run that was measured
	params map[string]string // which make its identity
	start  func() (*Result, error)
}

// once takes a finished refit as it is, resumes an interrupted one, and starts one where there is none.
func (r *Runner) once(ctx context.Context, a refit, g *kg.Graph, o RefitOptions) (*Result, error) {
	say := o.Say
	if say == nil {
		say = func(string) {}
	}
	before, begun, err := r.madeBefore(ctx, a.params, map[string]string{answer.TagRefitOf: a.of})
	switch {
	case err != nil:
		return nil, err
	case begun:
		say("resuming run " + tracker.ShortID(before.ID))
		// A refit has epochs of its own, so flags that set those of the measured run are not for it.
		flags := slices.DeleteFunc(slices.Clone(o.Flags), func(f config.FlagValue) bool {
			return !slices.Contains(resumable, f.Key)
		})
		return r.Resume(ctx, before.ID, config.Layers{Flags: flags})
	case before.ID != "":
		say("done already (run " + tracker.ShortID(before.ID) + ")")
		return resultOf(before, g), nil
	}
	say("training")
	return a.start()
}

// refitOf prepares the refit of a run.
func (r *Runner) refitOf(ctx context.Context, cfg *config.Config, of tracker.RunInfo, parts []string, g *kg.Graph) (
	refit, error) {
	if len(answer.ReadLogged(of).Stack) == 0 {
		checked, err := cfg.Check()
		if err != nil {
			return refit{}, err
		}
		own, err := cfg.TrainedOn(g)
		if err != nil {
			return refit{}, err
		}
		start := func() (*Result, error) { return r.TrainOn(ctx, checked, g) }
		if sphere.IsCounted(own.Model) {
			start = func() (*Result, error) { return r.recount(ctx, checked, of, g) }
		}
		return refit{of.ID, r.params(own, g), start}, nil
	}
	measured, err := answer.Open(ctx, r.Tracker, of.ID, r.DataDirs)
	if err != nil {
		return refit{}, err
	}
	runs, err := r.openStacked(ctx, parts)
	if err != nil {
		return refit{}, err
	}
	model, ok := measured.Model.(*stack.Stack)
	stacked := answer.ReadLogged(of).StackRuns
	if !ok || len(runs) != len(stacked) {
		return refit{}, fmt.Errorf("it combines %d models, and there are %d", len(stacked), len(runs))
	}
	for i, run := range runs {
		if answer.ReadLogged(run.Info).RefitOf != stacked[i] || run.Graph.Digest() != g.Digest() {
			return refit{}, fmt.Errorf("%s is not run %s, trained again on all facts",
				answer.RunTitle(run.Info.ID, run.Info.Name), tracker.ShortID(stacked[i]))
		}
	}
	params, _ := r.stackParams(cfg, runs, model)
	return refit{of.ID, params, func() (*Result, error) { return r.startStack(ctx, cfg, runs, model) }}, nil
}

// recount is TrainOn for the refit of a counted model, which the measured run has fitted already: it has the same bits.
func (r *Runner) recount(ctx context.Context, cfg config.Checked, of tracker.RunInfo, g *kg.Graph) (*Result, error) {
	measured, err := answer.Open(ctx, r.Tracker, of.ID, r.DataDirs)
	if err != nil {
		return nil, err
	}
	fitted, ok := measured.Model.(*rule.Model)
	if !ok || measured.Graph.Digest() != g.Divided().Digest() {
		return nil, fmt.Errorf("%s has no counted model of graph %s", answer.RunTitle(of.ID, of.Name), g.Name)
	}
	model, err := fitted.On(g)
	if err != nil {
		return nil, err
	}
	simd, roots, err := kernels()
	if err != nil {
		return nil, err
	}
	return r.count(ctx, cfg.Config(), g, simd, roots, model)
}

// refitConfig returns the config with which a measured run is trained again on the whole graph.
func refitConfig(info tracker.RunInfo, g *kg.Graph) (*config.Config, error) {
	c, err := reproducible(info)
	if err != nil {
		return nil, err
	}
	logged := answer.ReadLogged(info)
	c.Split.Whole, c.Name, c.Tracker.Experiment = true, info.Name+"-refit", info.Experiment
	c.Data = cmp.Or(g.Source, c.Data)
	c.Tags = refitTags(info, info.ID)
	if len(logged.Stack) > 0 {
		return c, nil
	}
	c.EarlyStop = config.Default().EarlyStop
	c.Eval.Every, c.Eval.Final, c.Eval.Fit, c.Eval.Calibrate = 0, false, false, false
	if logged.From != "" {
		return nil, fmt.Errorf("%s has an imported model, %s, which only its program can train again",
			answer.RunTitle(info.ID, info.Name), logged.From)
	}
	kept, err := strconv.Atoi(info.Tags[answer.TagBestEpoch])
	if err != nil { // without early stopping
		kept = cmp.Or(logged.Ended, c.Train.Epochs)
	}
	switch {
	case logged.IsTuned():
		c.Inductive.Epochs = kept
	case !sphere.IsUntrained(c.Model):
		c.Train.Epochs = kept
		if c.Train.Steps, err = refitSteps(c, g); err != nil {
			return nil, err
		}
	}
	if heads := info.Tags[answer.TagHeads]; heads != "" {
		c.Inductive.Heads = heads
	}
	return c, nil
}

// refitTags returns the tags by which a refit of a measured run answers as that does; none where measured is "".
func refitTags(info tracker.RunInfo, measured string) map[string]string {
	tags := map[string]string{}
	if measured != "" {
		tags[answer.TagRefitOf] = measured
		if cuts := info.Tags[answer.TagCuts]; cuts != "" {
			tags[answer.TagCuts] = cuts
		}
	}
	return tags
}

// refitSteps returns the steps of an epoch: 0, which is a pass over the facts, where the measured run had such epochs.
func refitSteps(c *config.Config, g *kg.Graph) (int, error) {
	training := c.Training()
	training.Steps = 0
	training, err := training.On(g.Divided())
	if err != nil || training.Steps != c.Train.Steps {
		return c.Train.Steps, err
	}
	return 0, nil
}
