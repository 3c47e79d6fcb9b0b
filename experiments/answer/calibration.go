package answer

import (
	"context"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// limit sets the options of a cut by probabilities.
func (r *Run) limit(ctx context.Context, cut eval.Limited, o *retrieve.Options, p progress.Listener) error {
	if len(r.fittedOn().Valid) == 0 {
		return r.anotherCut(r.noValidation(cut.Name()))
	}
	limit, err := r.limitOf(ctx, cut.Name(), o.Threads, p)
	if err != nil {
		return err
	}
	o.Border, o.Probabilities = limit, true
	return nil
}

// steps returns what makes answers to several queries comparable: the run's probabilities, which are fitted when they
// are first needed. With fewer than config.LeastCalibrated validation facts there are none. hasNew is Steps.HasNew.
func (r *Run) steps(
	cut eval.Cut, hasNew bool, threads int, p progress.Listener,
) func(ctx context.Context) (*retrieve.Steps, error) {
	return func(ctx context.Context) (*retrieve.Steps, error) {
		if len(r.fittedOn().Valid) < config.LeastCalibrated {
			return nil, nil
		}
		by, err := r.Calibrated(ctx, cut.Name(), threads, p)
		if err != nil {
			return nil, err
		}
		sigmoid, err := by.New.Sigmoids(r.Graph)
		if err != nil {
			return nil, err
		}
		ofSet, err := by.New.OfSets(r.Graph)
		if err != nil {
			return nil, err
		}
		findable, findableFrom := eval.Findable(r.fittedOn()), eval.FindableFrom(r.fittedOn())
		return &retrieve.Steps{
			Probability: func(q kg.Query, values []float32) func(float32) float64 {
				s, f := sigmoid(q, values), findable(q)
				return func(v float32) float64 { return f * s.At(v) }
			},
			OfSet: func(q kg.Query, known []int32, values []float32) func(float32) float64 {
				s, f := ofSet(q, known, values), findableFrom(q, len(known) > 0)
				return func(v float32) float64 { return f * s.At(v) }
			},
			Size:   eval.Size(cut),
			HasNew: hasNew,
		}, nil
	}
}

// Calibrated returns the probabilities of the run's answers: those in its artifacts, or new ones, which are then kept
// there. The error names the cut that needs them.
func (r *Run) Calibrated(ctx context.Context, cut string, threads int, p progress.Listener) (*eval.Calibrated, error) {
	r.fitting.Lock()
	defer r.fitting.Unlock()
	if r.calibrated == nil {
		r.calibrated = kept(r, CalibrationFile, func(by *eval.Calibrated) bool { return by.Check(r.Graph) == nil })
	}
	if r.calibrated != nil {
		return r.calibrated, nil
	}
	if len(r.fittedOn().Valid) == 0 {
		return nil, r.noValidation(cut)
	}
	by, err := r.calibrate(ctx, cut, threads, p)
	if err != nil {
		return nil, err
	}
	r.calibrated = by
	r.keep(CalibrationFile, by)
	return by, nil
}

// calibrate fits probabilities, or returns those of the measured run.
func (r *Run) calibrate(ctx context.Context, cut string, threads int, p progress.Listener) (*eval.Calibrated, error) {
	if r.measured != nil {
		of, err := r.measured(ctx)
		if err != nil {
			return nil, err
		}
		return of.Calibrated(ctx, cut, threads, p)
	}
	settings := eval.CalibrateSettings{Threads: threads, Sample: r.Config.Eval.Sample,
		Progress: r.LongProgress(p, "fitting probabilities on the validation facts; the run keeps them")}
	return eval.Calibrate(ctx, r.judge(), r.Graph, settings)
}

// promiseNote returns a note on a promised share as measured on validation facts, nil for other cuts.
func (r *Run) promiseNote(ctx context.Context, name string, threads int, p progress.Listener) (*hint.Note, error) {
	cut, _ := eval.ParseCut(name)
	switch cut.(type) {
	case eval.Promised, eval.Covering:
	default:
		return nil, nil
	}
	by, err := r.Calibrated(ctx, name, threads, p)
	if err != nil {
		return nil, err
	}
	switch c := cut.(eval.Limited).By(by).(type) {
	case eval.Promised:
		return &hint.Note{Text: c.Outcome().Text(c)}, nil
	case eval.Covering:
		return &hint.Note{Text: c.Text()}, nil
	}
	return nil, nil
}
