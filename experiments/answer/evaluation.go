package answer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
)

// FitCuts fits thresholds to a model and returns them, and the cuts that eval.fit adds.
func FitCuts(
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

// WithProbabilities also measures what eval.calibrate adds.
func WithProbabilities(e *eval.Evaluator, by *eval.Calibrated) (*eval.Evaluator, error) {
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
	Sample       int              // measure so many queries of each side; 0: as the run's config
}

// config returns the run's config with the options.
func (o EvalOptions) config(run *config.Config) *config.Config {
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

// fixedCuts returns the cuts of the config with the options that do not need validation facts.
func (o EvalOptions) fixedCuts(c *config.Config) []eval.Cut {
	cuts := c.FinalSettings().Cuts
	for _, criterion := range o.Criteria {
		cuts = append(cuts, criterion)
	}
	return cuts
}

// CutNames returns the cuts that Evaluate measures, before anything is evaluated. Those of lookup come last.
func (r *Run) CutNames(o EvalOptions) []string {
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
func (r *Run) Evaluate(ctx context.Context, o EvalOptions, p progress.Listener) (*eval.Report, error) {
	if err := r.Measurable(); err != nil {
		return nil, err
	}
	if p == nil {
		p = progress.Silent{}
	}
	c := o.config(r.Config)
	if err := c.Fits(eval.Criterion(c.Eval.Criterion)); err != nil {
		return nil, err
	}
	for _, criterion := range o.Criteria {
		if err := c.Fits(criterion); err != nil {
			return nil, err
		}
	}
	s := c.FinalSettings()
	s.Cuts = o.fixedCuts(c)
	if c.Eval.Fit {
		extra := []eval.Cut{eval.TopMean{}}
		if !o.Valid { // on validation the thresholds would be judged by the triples that they were fitted on
			var err error
			settings := eval.FitSettings{Threads: o.Threads, Sample: c.Eval.Sample}
			settings.Progress = progress.WhereSlow(func(_ bool, done, total int) {
				p.Event(progress.Event{Event: progress.Evaluating, Time: time.Now(), RunID: r.Info.ID,
					RunName: r.Info.Name, Done: done,
					Total: total, Message: progress.Fitting})
			})
			if _, extra, err = FitCuts(ctx, r.judge(), r.Graph, settings); err != nil {
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
	s.Sample = cmp.Or(o.Sample, s.Sample) // what is fitted has the run's
	s.Progress = func(done, total int) {
		p.Event(progress.Event{Event: progress.Evaluating, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name,
			Done: done, Total: total, Message: s.Split.String()})
	}
	if o.Valid {
		e, err := eval.New(r.Graph, s)
		if err != nil {
			return nil, err
		}
		return e.Run(ctx, r.judge())
	}
	return r.measure(ctx, s, func(e *eval.Evaluator) (*eval.Evaluator, error) {
		if !r.calibrates() {
			return e, nil
		}
		by, err := r.Calibrated(ctx, eval.ExpectedNames()[0], o.Threads, p)
		if err != nil {
			return nil, err
		}
		return WithProbabilities(e, by)
	})
}

// measure evaluates the model on the test facts, by an evaluator that more completes. A stack's cuts of type
// eval.Covering are measured apart: with the weights of a stack that saw a query's validation facts, answers that only
// the test facts hold counted as wrong, and fewer of them would be covered than promised.
func (r *Run) measure(
	ctx context.Context, s eval.Settings, more func(*eval.Evaluator) (*eval.Evaluator, error),
) (*eval.Report, error) {
	covering := s
	covering.Cuts = nil
	if _, stacked := r.Model.(*stack.Stack); stacked {
		s.Cuts = slices.DeleteFunc(slices.Clone(s.Cuts), func(c eval.Cut) bool {
			if c.Kind() == eval.KindCovering {
				covering.Cuts = append(covering.Cuts, c)
			}
			return c.Kind() == eval.KindCovering
		})
	}
	e, err := eval.New(r.Graph, s)
	if err == nil {
		e, err = more(e)
	}
	if err != nil {
		return nil, err
	}
	report, err := e.Run(ctx, r.judged())
	if err != nil || len(covering.Cuts) == 0 {
		return report, err
	}
	covering.SkipRanking = true
	if e, err = eval.New(r.Graph, covering); err != nil {
		return nil, err
	}
	covered, err := e.Run(ctx, r.judge())
	if err != nil {
		return nil, err
	}
	report.Add(covered)
	return report, nil
}
