package experiments

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// limit sets the options of a cut by probabilities.
func (r *TrainedRun) limit(ctx context.Context, cut eval.Limited, o *retrieve.Options, p Progress) error {
	if len(r.Graph.Valid) == 0 {
		return r.anotherCut(r.noValidation(cut.Name()))
	}
	by, err := r.Calibrated(ctx, cut.Name(), o.Threads, p)
	if err != nil {
		return err
	}
	limit, err := cut.By(by).Limits(r.Graph)
	if err != nil {
		return err
	}
	o.Border, o.Probabilities = limit, true
	return nil
}

// steps are what makes answers to several queries comparable: the run's probabilities, which are fitted when they are
// first asked for. With fewer than leastCalibrated validation facts there are none.
func (r *TrainedRun) steps(cut eval.Cut, threads int, p Progress) func(ctx context.Context) (*retrieve.Steps, error) {
	return func(ctx context.Context) (*retrieve.Steps, error) {
		if len(r.Graph.Valid) < leastCalibrated {
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
		findable := eval.Findable(r.Graph)
		return &retrieve.Steps{
			Probability: func(q kg.Query, values []float32) func(float32) float64 {
				s, f := sigmoid(q, values), findable(q)
				return func(v float32) float64 { return f * s.At(v) }
			},
			Size: eval.Size(cut),
		}, nil
	}
}

// Calibrated are the probabilities of the run's answers: those that its artifacts have, or new ones, which are then
// kept there for the next time. The error names the cut that needs them.
func (r *TrainedRun) Calibrated(ctx context.Context, cut string, threads int, p Progress) (*eval.Calibrated, error) {
	r.fitting.Lock()
	defer r.fitting.Unlock()
	if r.calibrated == nil {
		r.calibrated = r.keptCalibration()
	}
	if r.calibrated != nil {
		return r.calibrated, nil
	}
	if len(r.Graph.Valid) == 0 {
		return nil, r.noValidation(cut)
	}
	settings := eval.CalibrateSettings{Threads: threads, Sample: r.Config.Eval.Sample,
		Progress: r.LongProgress(p, "fitting probabilities on the validation facts; the run keeps them")}
	by, err := eval.Calibrate(ctx, r.judge(), r.Graph, settings)
	if err != nil {
		return nil, err
	}
	r.calibrated = by
	r.keep(calibrationFile, by)
	return by, nil
}

// keptCalibration is that of the run's artifacts, nil where there is none that fits the graph.
func (r *TrainedRun) keptCalibration() *eval.Calibrated {
	dir, err := r.Info.ArtifactDir()
	if err != nil || r.unkept {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(calibrationFile)))
	if err != nil {
		return nil
	}
	var by eval.Calibrated
	if json.Unmarshal(raw, &by) != nil || by.Check(r.Graph) != nil {
		return nil
	}
	return &by
}

// promiseNote says what validation facts say of a promised precision or recall, nil for other cuts.
func (r *TrainedRun) promiseNote(ctx context.Context, name string, threads int, p Progress) (*hint.Note, error) {
	cut, _ := eval.ParseCut(name)
	promised, ok := cut.(eval.Promised)
	if !ok {
		return nil, nil
	}
	by, err := r.Calibrated(ctx, name, threads, p)
	if err != nil {
		return nil, err
	}
	promised = promised.By(by).(eval.Promised)
	return &hint.Note{Text: promised.Outcome().Text(promised)}, nil
}
