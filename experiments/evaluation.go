package experiments

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// criterion is that of the plain metric keys; "" is the model's own.
func (c *Config) criterion() sphere.Criterion {
	if c.Eval.Criterion == defaultCriterion {
		return ""
	}
	return sphere.Criterion(c.Eval.Criterion)
}

// primaryCut is the cut of the plain metric keys: that of the criterion, or for a model without criteria top-mean.
func (c *Config) primaryCut() eval.Cut {
	if len(c.Settings().Criteria()) == 0 {
		return eval.TopMean{}
	}
	return eval.Criterion(c.criterion())
}

// judged is a model as the config has it evaluated and fitted.
func (c *Config) judged(m eval.Model, g *kg.Graph) eval.Model {
	if c.Eval.DropItself {
		return eval.DropItself(m, g)
	}
	return m
}

// finalSettings are those of the final evaluation, before thresholds are fitted.
func (c *Config) finalSettings() eval.Settings {
	cuts := []eval.Cut{c.primaryCut()}
	has := c.Settings().Criteria()
	for _, criterion := range sphere.Criteria() {
		// Runs of BoxE are committed without the sets of boxes, and reproduce compares every number. They are measured
		// where they are the primary cut or are asked for.
		if slices.Contains(has, criterion) && criterion != sphere.CriterionBoxes {
			cuts = append(cuts, eval.Criterion(criterion))
		}
	}
	tops := eval.Tops(c.Eval.TopL...)
	cuts = append(cuts, tops...)
	switch {
	case !c.Settings().ReleasedProtocol():
	case has[0] == sphere.CriterionBlocks:
		blocks := eval.Criterion(sphere.CriterionBlocks)
		cuts = append(cuts, eval.Released{Of: blocks}, eval.Tie{Of: blocks})
	default:
		for _, top := range tops {
			cuts = append(cuts, eval.Released{Of: top}, eval.Tie{Of: top})
		}
	}
	return eval.Settings{Split: kg.Test, Cuts: cuts, Sample: c.Eval.Sample, Resamples: c.Eval.Bootstrap, Seed: c.Seed,
		Threads: c.Threads}
}

// validationSettings are those of evaluations during training. The test triples are left out of the ground truth, so
// that nothing of them enters the choice of a model.
func (c *Config) validationSettings() eval.Settings {
	return eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid},
		Cuts: []eval.Cut{c.primaryCut()}, Sample: c.Eval.Sample, Seed: c.Seed, Threads: c.Threads}
}

// fitSettings are those of fitting thresholds.
func (c *Config) fitSettings() eval.FitSettings {
	return eval.FitSettings{Threads: c.Threads, Sample: c.Eval.Sample}
}

// fitCuts fits thresholds to a model and returns them, and the cuts that eval.fit adds.
func fitCuts(
	ctx context.Context, m eval.Model, g *kg.Graph, s eval.FitSettings,
) ([]sphere.Thresholds, []eval.Cut, error) {
	thresholds, err := eval.Fit(ctx, m, g, s)
	if err != nil {
		return nil, nil, err
	}
	var cuts []eval.Cut
	for i := range thresholds {
		cuts = append(cuts, eval.FittedAt(&thresholds[i]))
	}
	return thresholds, append(cuts, eval.TopMean{}), nil
}

// withProbabilities measures also what eval.calibrate adds.
func withProbabilities(e *eval.Evaluator, by *eval.Calibrated) (*eval.Evaluator, error) {
	e, err := e.With(eval.ExpectedCuts(by)...)
	if err != nil {
		return nil, err
	}
	return e.Judging(by)
}

// EvalOptions change how a run is evaluated again; the zero value repeats the run's own final evaluation.
type EvalOptions struct {
	Criterion    sphere.Criterion // "": the run's
	Valid        bool             // evaluate on the validation split; known is then training alone
	TopL         []int            // sizes of the top-l cuts; nil: the run's
	Fit          bool             // with fitted thresholds and top-mean, also if the run's config has no eval.fit
	Resamples    int              // with SetResamples
	SetResamples bool
	Threads      int
	With         []eval.Limited   // also these cuts, by probabilities of the run
	Criteria     []eval.Criterion // also these cuts
	KeepRecords  bool             // keep the counts of every query in the report, for eval.Compare
}

// config is the run's config with the options.
func (o EvalOptions) config(run *Config) *Config {
	c := *run
	c.Eval.Criterion = cmp.Or(string(o.Criterion), c.Eval.Criterion)
	if o.TopL != nil {
		c.Eval.TopL = o.TopL
	}
	if o.SetResamples {
		c.Eval.Bootstrap = o.Resamples
	}
	c.Eval.Fit = o.Fit || c.Eval.Fit
	return &c
}

// fixedCuts are the cuts that need nothing of validation facts, of the config with the options.
func (o EvalOptions) fixedCuts(c *Config) []eval.Cut {
	cuts := c.finalSettings().Cuts
	for _, criterion := range o.Criteria {
		cuts = append(cuts, criterion)
	}
	return cuts
}

// CutNames are the cuts that Evaluate measures, before anything is evaluated; those of lookup are the last ones.
func (r *TrainedRun) CutNames(o EvalOptions) []string {
	c := o.config(r.Config)
	var names []string
	for _, cut := range o.fixedCuts(c) {
		name := cmp.Or(cut.Name(), string(r.Model.DefaultCriterion()))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if c.Eval.Fit {
		if !o.Valid {
			names = append(names, eval.FittedNames()...)
		}
		if mean := (eval.TopMean{}).Name(); !slices.Contains(names, mean) {
			names = append(names, mean)
		}
	}
	if r.calibrates() && !o.Valid {
		names = append(names, eval.ExpectedNames()...)
	}
	for _, cut := range o.With {
		if !slices.Contains(names, cut.Name()) {
			names = append(names, cut.Name())
		}
	}
	names = append(names, eval.LookupName)
	if !o.Valid {
		names = append(names, eval.LookupTrainName)
	}
	return names
}

// Evaluate evaluates the run's checkpoint again. Nothing is logged.
func (r *TrainedRun) Evaluate(ctx context.Context, o EvalOptions, p Progress) (*eval.Report, error) {
	if p == nil {
		p = Silent{}
	}
	c := o.config(r.Config)
	if err := c.validateCriterion(); err != nil {
		return nil, err
	}
	for _, criterion := range o.Criteria {
		if err := c.fits(criterion); err != nil {
			return nil, err
		}
	}
	s := c.finalSettings()
	s.Cuts = o.fixedCuts(c)
	if c.Eval.Fit {
		extra := []eval.Cut{eval.TopMean{}}
		if !o.Valid { // on validation the thresholds would be judged by the triples that they were fitted on
			var err error
			settings := eval.FitSettings{Threads: o.Threads, Sample: c.Eval.Sample}
			settings.Progress = whereSlow(func(_ bool, done, total int) {
				p.Event(Event{Event: Evaluating, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name, Done: done,
					Total: total, Message: fitting})
			})
			if _, extra, err = fitCuts(ctx, r.judge(), r.Graph, settings); err != nil {
				return nil, err
			}
		}
		s.Cuts = append(s.Cuts, extra...)
	}
	for _, cut := range o.With {
		by, err := r.Calibrated(ctx, cut.Name(), o.Threads, p)
		if err != nil {
			return nil, err
		}
		s.Cuts = append(s.Cuts, cut.By(by))
	}
	if o.Valid {
		s.Split = kg.Valid
	}
	s.Threads, s.KeepRecords = o.Threads, o.KeepRecords
	s.Progress = func(done, total int) {
		p.Event(Event{Event: Evaluating, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name,
			Done: done, Total: total, Message: s.Split.String()})
	}
	e, err := eval.New(r.Graph, s)
	if err != nil {
		return nil, err
	}
	if o.Valid {
		return e.Run(ctx, r.judge())
	}
	if r.calibrates() {
		by, err := r.Calibrated(ctx, eval.ExpectedNames()[0], o.Threads, p)
		if err != nil {
			return nil, err
		}
		if e, err = withProbabilities(e, by); err != nil {
			return nil, err
		}
	}
	return e.Run(ctx, r.judged())
}
