package lab

import (
	"context"
	"errors"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TrainUntil trains as Train does, and stops after an epoch as if the cell had been interrupted then: the run is saved,
// and lab.Resume continues it. A validation that is due after that epoch still takes place.
//
//	run := lab.TrainUntil(g, m.Epochs(60), 20)
//	lab.Resume("last")
//
// The epoch must be before the last one.
func (s *Session) TrainUntil(g *Graph, m *Model, epoch int) *Run {
	if m != nil && (epoch < 1 || epoch >= m.config.Train.Epochs) {
		panic(fail(BadModel, "lab.TrainUntil cannot stop after epoch %d of %d: give one from 1 to %d, or use lab.Train",
			epoch, m.config.Train.Epochs,
			m.config.Train.Epochs-1))
	}
	return s.train(g, m, epoch)
}

// pausedError says that a training was stopped after the chosen epoch and is saved.
type pausedError struct{ *experiments.InterruptedError }

// Unwrap makes it an InterruptedError too.
func (e *pausedError) Unwrap() error { return e.InterruptedError }

// trainUntil trains and stops after an epoch, by ending the work's own context.
func trainUntil(ctx context.Context, r *experiments.Runner, cfg *experiments.Config, g *kg.Graph,
	epoch int) (*experiments.Result, error) {
	own, stop := context.WithCancel(ctx)
	defer stop()
	last := experiments.EpochDone
	if every := cfg.Eval.Every; every > 0 && epoch%every == 0 {
		last = experiments.Validated
	}
	p := &pause{next: r.Progress, last: last, epoch: epoch, stop: stop}
	r.Progress = p
	result, err := r.TrainOn(own, cfg, g)
	var stopped *experiments.InterruptedError
	if p.reached && ctx.Err() == nil && errors.As(err, &stopped) {
		return nil, &pausedError{stopped}
	}
	return result, err
}

// pause hands events on, and stops the training after one of them.
type pause struct {
	next    experiments.Progress
	last    experiments.EventKind
	epoch   int
	stop    context.CancelFunc
	reached bool
}

// Event implements experiments.Progress.
func (p *pause) Event(e experiments.Event) {
	p.next.Event(e)
	if e.Event == p.last && e.Epoch == p.epoch {
		p.reached = true
		p.stop()
	}
}
