package answer

import (
	"context"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE/ask"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// facts are the probabilities of facts, nil where the run has fewer than config.LeastCalibrated validation facts. Like
// other fitted numbers they are read from the run's artifacts, or fitted now and kept there: a run of a program before
// has them too, after its first question.
func (r *Run) facts(ctx context.Context, cut eval.Cut, threads int, p progress.Listener) (*retrieve.Facts, error) {
	if len(r.fittedOn().Valid) < config.LeastCalibrated {
		return nil, nil
	}
	by, err := r.Calibrated(ctx, cut.Name(), threads, p)
	if err != nil {
		return nil, err
	}
	r.estimating.Lock()
	defer r.estimating.Unlock()
	kept := &r.estimators[0]
	if cut.Kind() == eval.KindCovering { // their sides are those of other values, see answering
		kept = &r.estimators[1]
	}
	if *kept != nil {
		return *kept, nil
	}
	fitted, err := r.fittedFacts(ctx, by, threads, p)
	if err != nil {
		return nil, err
	}
	*kept, err = r.factsOn(r.Graph, by, fitted)
	return *kept, err
}

// factsOn are the probabilities of facts on the run's graph, or on one that lacks some training facts.
func (r *Run) factsOn(g *kg.Graph, by *eval.Calibrated, fitted *eval.Facts) (*retrieve.Facts, error) {
	facts, err := ask.Facts(g, by, fitted)
	if err == nil {
		facts.DropItself = r.Config.Eval.DropItself
	}
	return facts, err
}

// fittedFacts are those of the run's artifacts, or new ones; of a refit those of the measured run.
func (r *Run) fittedFacts(
	ctx context.Context, by *eval.Calibrated, threads int, p progress.Listener,
) (*eval.Facts, error) {
	if f := kept(r, FactFile, func(f *eval.Facts) bool { return f.Check(r.Graph) == nil }); f != nil {
		return f, nil
	}
	if r.measured != nil {
		of, err := r.measured(ctx)
		if err != nil {
			return nil, err
		}
		fitted, err := of.fittedFacts(ctx, by, threads, p)
		if err == nil {
			r.keep(FactFile, fitted)
		}
		return fitted, err
	}
	settings := eval.FactSettings{Threads: threads, Sample: r.Config.Eval.Sample,
		Progress: r.LongProgress(p, "fitting one probability per fact on the validation facts; the run keeps it")}
	fitted, err := eval.FitFacts(ctx, r.judge(), r.Graph, by, settings)
	if err == nil {
		r.keep(FactFile, fitted)
	}
	return fitted, err
}
