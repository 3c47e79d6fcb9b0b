package experiments

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// sameStack refuses a stack whose params are not those that its hash was made of.
func sameStack(info tracker.RunInfo) error {
	params := maps.Clone(info.Params)
	maps.DeleteFunc(params, func(key, value string) bool { return key != answer.ParamStack && !ofStack(key, value) })
	return sameHash(stackHash(params), info.Params[config.ParamHash])
}

// stackedAgain opens, for every model of a stack, a run of the tracker that has it: the run that the stack was made of,
// or another one with the same bits.
func (r *Runner) stackedAgain(ctx context.Context, info tracker.RunInfo, g *kg.Graph) ([]*answer.Run, error) {
	logged := answer.ReadLogged(info)
	var runs []*answer.Run
	for i, digest := range logged.Stack {
		first := ""
		if i < len(logged.StackRuns) {
			first = logged.StackRuns[i]
		}
		run, err := r.withModel(ctx, digest, append([]string{first}, logged.StackRuns...))
		if err != nil {
			return nil, err
		}
		if run.Graph.Digest() != g.Digest() {
			return nil, fmt.Errorf("%s is on another graph than the stack", answer.RunTitle(run.Info.ID, run.Info.Name))
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// measuredAgain opens the stack whose weights a refit has; it returns nil for another run.
func (r *Runner) measuredAgain(ctx context.Context, info tracker.RunInfo) (*stack.Stack, error) {
	logged := answer.ReadLogged(info)
	if logged.Refit == "" {
		return nil, nil
	}
	run, err := r.withModel(ctx, logged.Refit, []string{logged.RefitOf})
	if err != nil {
		return nil, err
	}
	model, ok := run.Model.(*stack.Stack)
	if !ok {
		return nil, fmt.Errorf("%s is not a stack", answer.RunTitle(run.Info.ID, run.Info.Name))
	}
	return model, nil
}

// withModel opens a finished run of the tracker that has the model with a digest, rather one with an earlier id of a
// list.
func (r *Runner) withModel(ctx context.Context, digest string, ids []string) (*answer.Run, error) {
	found, err := r.Tracker.Runs(ctx, tracker.Filter{Status: tracker.Finished,
		Tags: map[string]string{answer.TagDigest: digest}})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b tracker.RunInfo) int { return place(ids, a.ID) - place(ids, b.ID) })
	at := slices.IndexFunc(found, answer.HasModel)
	if at < 0 {
		of := ""
		if ids[0] != "" {
			of = ", of run " + tracker.ShortID(ids[0])
		}
		return nil, fmt.Errorf("no finished run of this tracker has its model with checkpoint digest %s%s; train that again "+
			"first", tracker.ShortID(digest), of)
	}
	run, err := answer.Open(ctx, r.Tracker, found[at].ID, r.DataDirs)
	if err != nil {
		return nil, err
	}
	if run.Model.Digest() != digest {
		return nil, fmt.Errorf("the model of %s has changed: its checkpoint digest is %s, not %s",
			answer.RunTitle(run.Info.ID, run.Info.Name), tracker.ShortID(run.Model.Digest()), tracker.ShortID(digest))
	}
	return run, nil
}

// place returns the index of an id in a list, or the list's length if it is missing.
func place(ids []string, id string) int {
	if i := slices.Index(ids, id); i >= 0 {
		return i
	}
	return len(ids)
}
