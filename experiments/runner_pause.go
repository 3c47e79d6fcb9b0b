package experiments

import (
	"context"
	"errors"

	"github.com/spherelab/spherelab/experiments/progress"
)

// PausedError is the error of a training that was stopped after the requested epoch. It is saved.
type PausedError struct{ *InterruptedError }

// Unwrap makes it an InterruptedError too.
func (e *PausedError) Unwrap() error { return e.InterruptedError }

// Until trains by do, and stops after an epoch as if the training had been interrupted then, with a *PausedError. A
// validation that is due after that epoch, because of every, still takes place. If epoch is 0 or the last one, the
// training runs to its end.
func (r *Runner) Until(ctx context.Context, epoch, every int,
	do func(context.Context) (*Result, error)) (*Result, error) {
	if epoch == 0 {
		return do(ctx)
	}
	own, stop := context.WithCancel(ctx)
	defer stop()
	last := progress.EpochDone
	if every > 0 && epoch%every == 0 {
		last = progress.Validated
	}
	p := &pause{next: r.Progress, last: last, epoch: epoch, stop: stop}
	before := r.Progress
	r.Progress = p
	defer func() { r.Progress = before }()
	result, err := do(own)
	var stopped *InterruptedError
	if p.isReached && ctx.Err() == nil && errors.As(err, &stopped) {
		return nil, &PausedError{stopped}
	}
	return result, err
}

// pause passes events on, and stops the training after one of them.
type pause struct {
	next      progress.Listener // nil: silent
	last      progress.Kind
	epoch     int
	stop      context.CancelFunc
	isReached bool
}

// Event implements progress.Listener.
func (p *pause) Event(e progress.Event) {
	if p.next != nil {
		p.next.Event(e)
	}
	if e.Event == p.last && e.Epoch == p.epoch {
		p.isReached = true
		p.stop()
	}
}
