package experiments

import (
	"context"
	"errors"
)

// PausedError says that a training was stopped after the epoch that was asked for. It is saved.
type PausedError struct{ *InterruptedError }

// Unwrap makes it an InterruptedError too.
func (e *PausedError) Unwrap() error { return e.InterruptedError }

// Until trains by do, and stops after an epoch as if the training had been interrupted then, with a *PausedError. A
// validation that is due after that epoch, because of every, still takes place. Where epoch is 0 or the last one, the
// training comes to its end.
func (r *Runner) Until(ctx context.Context, epoch, every int,
	do func(context.Context) (*Result, error)) (*Result, error) {
	if epoch == 0 {
		return do(ctx)
	}
	own, stop := context.WithCancel(ctx)
	defer stop()
	last := EpochDone
	if every > 0 && epoch%every == 0 {
		last = Validated
	}
	p := &pause{next: r.Progress, last: last, epoch: epoch, stop: stop}
	before := r.Progress
	r.Progress = p
	defer func() { r.Progress = before }()
	result, err := do(own)
	var stopped *InterruptedError
	if p.reached && ctx.Err() == nil && errors.As(err, &stopped) {
		return nil, &PausedError{stopped}
	}
	return result, err
}

// pause hands events on, and stops the training after one of them.
type pause struct {
	next    Progress // nil: silent
	last    EventKind
	epoch   int
	stop    context.CancelFunc
	reached bool
}

// Event implements Progress.
func (p *pause) Event(e Event) {
	if p.next != nil {
		p.next.Event(e)
	}
	if e.Event == p.last && e.Epoch == p.epoch {
		p.reached = true
		p.stop()
	}
}
