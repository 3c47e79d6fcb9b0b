package experiments

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
)

// InterruptedError is the error of a run that was stopped from outside. Its state is saved.
type InterruptedError struct {
	RunID, RunName string
	Epoch, Epochs  int  // finished, planned
	Asked          bool // somebody asked it to stop, elsewhere
}

func (e *InterruptedError) Error() string {
	how := "was interrupted"
	if e.Asked {
		how = "was stopped, as somebody asked,"
	}
	return fmt.Sprintf("%s %s after epoch %d of %d; its state is saved", answer.RunTitle(e.RunID, e.RunName), how,
		e.Epoch, e.Epochs)
}

// Hints returns how to resume or finish the run.
func (e *InterruptedError) Hints() []hint.Hint {
	list := answer.ResumeHint(e.RunID, true)
	if e.Epoch > 0 {
		list = append(list, hint.Hint{Action: hint.FinishRun, Subject: e.RunID})
	}
	return list
}

// FailedError is the error of a run that ended as FAILED, with what is left of it.
type FailedError struct {
	RunID, RunName string
	Err            error
	StateEpoch     int // finished epochs in the last saved state, -1 if nothing was saved
}

func (e *FailedError) Error() string {
	text := fmt.Sprintf("%s failed: %v", answer.RunTitle(e.RunID, e.RunName), e.Err)
	if e.StateEpoch >= 0 {
		text += fmt.Sprintf(" (the state after epoch %d is kept)", e.StateEpoch)
	}
	if errors.Is(e.Err, syscall.ENOSPC) {
		text += "; free space on the disk of the data directory"
	}
	if _, ok := errors.AsType[*sphere.DivergedError](e.Err); ok {
		text += "; its key is train.learning_rate"
	}
	return text
}

// Hints returns how to resume the run if it has a saved state. A run that diverged would diverge again. Without a saved
// state another data directory may help against a full disk.
func (e *FailedError) Hints() []hint.Hint {
	if errors.Is(e.Err, syscall.ENOSPC) && e.StateEpoch < 0 {
		return []hint.Hint{{Action: hint.NameHome}}
	}
	return answer.ResumeHint(e.RunID, e.StateEpoch >= 0 && !Diverged(e.Err))
}

func (e *FailedError) Unwrap() error { return e.Err }

// Diverged reports whether a training failed because its numbers diverged: it would fail again.
func Diverged(err error) bool {
	var loss *sphere.DivergedError
	var parameter *sphere.NotFiniteError
	return errors.As(err, &loss) || errors.As(err, &parameter)
}

// errAsked is why the context of a run ends that somebody asked to stop.
var errAsked = errors.New("somebody asked the run to stop")

// untilAsked returns a context that also ends when somebody asks a run to stop.
func untilAsked(caller context.Context, run runLog) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(caller)
	go func() {
		select {
		case <-run.Stopping():
			stop(errAsked)
		case <-ctx.Done():
		}
	}()
	return askedContext{ctx, caller}, func() { stop(nil) }
}

// askedContext is the context of untilAsked. It asks the caller's context itself, which may end when it is asked.
type askedContext struct {
	context.Context
	caller context.Context
}

func (c askedContext) Err() error {
	if err := c.caller.Err(); err != nil {
		return err
	}
	return c.Context.Err()
}

// Asked reports whether a run ended because somebody asked it to stop.
func Asked(err error) bool {
	var stopped *InterruptedError
	return errors.As(err, &stopped) && stopped.Asked || errors.Is(err, errAsked)
}

// interrupted reports whether err is ctx's own end.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}
