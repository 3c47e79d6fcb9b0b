package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

// trainBest makes the best answers for a graph: several models and their stack. configs are those of the main models on
// the graph. If no stack can be fitted on the graph, only the main models are trained.
func (a *app) trainBest(ctx context.Context, configs []config.Checked, l config.Layers, f *trainFlags) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	first := configs[0].Config()
	g, err := first.Graph(dirs)
	if err != nil {
		return err
	}
	if !search.CanStack(g) || !first.Eval.Final {
		why := fmt.Sprintf("%s has %s and %s; a stack needs %d and 1", g.Name, quantity.Count(len(g.Valid), "validation fact"),
			quantity.Count(len(g.Test), "test fact"), config.LeastCalibrated)
		if search.CanStack(g) {
			why = "eval.final is false, and a stack is measured"
		}
		if flag := f.ofBest(); flag != "" && flag != "measured" {
			return usagef("--%s is for a stack: %s", flag, why)
		}
		fmt.Fprintln(a.stderr, visible.Line(why+": RotatE and SpherE-2D are trained instead"))
		return a.train(ctx, configs, f.limit, f.asJSON)
	}
	if f.limit > 0 {
		return usagef("--hours ends the training of one model: %[1]s train GRAPH MODEL --hours 1; --budget is the time of all",
			present.Program())
	}
	best, err := search.PlanBest(l, first.Data, dirs, f.budget, f.refits || g.Drawn && !f.onlyMeasures)
	if err != nil {
		return err
	}
	a.sayPlan(best)
	o := search.Options{Flags: l.Flags, Say: func(line string) { fmt.Fprintln(a.stderr, visible.Line(line)) }}
	var refit *experiments.Result
	var failed error // of a refit: what was measured is shown all the same
	do := func(r *experiments.Runner) ([]*experiments.Result, error) {
		made, err := best.Run(ctx, r, o)
		if err == nil && best.Refits {
			if refit, failed = best.Again(ctx, r, made, o); ctx.Err() != nil {
				return made, failed
			}
		}
		return made, err
	}
	return a.trainThen(ctx, configAddress(first), f.asJSON, do, func(t *tracker.Tracker,
		trained []*experiments.Result) error {
		if failed != nil {
			failed = fmt.Errorf("the models were measured, but not trained again on all facts: %w; --measured leaves that out",
				failed)
		}
		if !f.asJSON {
			return errors.Join(a.showEvaluated(ctx, t, trained, refit), failed)
		}
		last, measured := trained[len(trained)-1], ""
		if refit != nil {
			last, measured = refit, last.RunID
		}
		progress.NewJSON(a.stdout).Event(progress.Event{Event: progress.Best, Time: time.Now(), RunID: last.RunID,
			RunName: last.RunName, Data: last.Graph.Name, Digest: last.Digest, Measured: measured})
		return failed
	})
}

// sayPlan writes what will be made, how long it takes, and how to make more or less.
func (a *app) sayPlan(b *search.Best) {
	for _, line := range b.Plan() {
		fmt.Fprintln(a.stderr, visible.Line(line))
	}
	if len(b.Left) > 0 {
		fmt.Fprintln(a.stderr, "--budget names another time")
	}
	if b.Lack != nil {
		fmt.Fprintln(a.stderr, visible.Line("missing: "+present.Error(b.Lack, present.Program())))
	}
	fmt.Fprintf(a.stderr, "one model alone: `%s train GRAPH sphere-2d`\n", present.Program())
}
