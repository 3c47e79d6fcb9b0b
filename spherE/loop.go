package sphere

import (
	"context"
	"math"
)

// EarlyStop decides after each validation whether a training continues. Its state is a function of the values so far,
// so a resumed training rebuilds it by observing them again.
type EarlyStop struct {
	Patience int     // validations without a better one after which the training ends; 0 or less: never
	MinGain  float64 // a value that is better by more than this is better
	IsLess   bool    // a smaller value is better, as with a mean rank

	Best  float64 // value so far
	Epoch int     // of the best value; 0 before the first validation
	Since int     // validations since the best one
}

// Observe records the value of a validation and returns whether it is the best so far. The first one is, unless it is
// NaN, which is never better.
func (s *EarlyStop) Observe(epoch int, value float64) (improved bool) {
	gain := value - s.Best
	if s.IsLess {
		gain = -gain
	}
	switch {
	case math.IsNaN(value):
	case s.Epoch == 0, gain > s.MinGain:
		s.Best, s.Epoch, s.Since = value, epoch, 0
		return true
	}
	s.Since++
	return false
}

// Done reports whether the training should end.
func (s *EarlyStop) Done() bool { return s.Patience > 0 && s.Since >= s.Patience }

// Loop is a training epoch by epoch, with what happens between epochs. Train is a Loop that keeps the best parameters
// in memory; programs that log, validate or save in a way of their own make another. Every function may be nil. An
// error of one of them ends the training.
type Loop struct {
	// More reports whether another epoch is trained. It is called before each. nil: until Training.Epochs are done.
	More func() bool
	// Trained is called after every epoch.
	Trained func(EpochStats) error
	// Validate then measures the model, if the epoch is Due. Its value goes to Stop.
	Validate func(ctx context.Context, epoch int) (value float64, err error)
	// Improved is called after a validation whose value is the best so far, while Stop is not nil.
	Improved func(epoch int) error
	// Ended is called at the end of every epoch.
	Ended func(epoch int) error

	Every     int        // epochs from one validation to the next; 0: there are none
	Last      int        // epoch that is validated whatever Every is: the last one
	Validated int        // last epoch that was validated; of a resumed training that of the program before
	Stop      *EarlyStop // ends the training early; nil: never
}

// Due reports whether an epoch is followed by a validation.
func (l *Loop) Due(epoch int) bool {
	return l.Validate != nil && l.Every > 0 && epoch > 0 && (epoch%l.Every == 0 || epoch == l.Last)
}

// Stopped reports whether Stop has ended the training.
func (l *Loop) Stopped() bool { return l.Stop != nil && l.Stop.Done() }

// Run trains until More or Stop ends it. It returns the errors of Trainer.Epoch, among them that of ctx, and of the
// functions. An epoch that was trained but not validated, because ctx had ended in between, is validated first.
func (l *Loop) Run(ctx context.Context, t *Trainer) error {
	more := l.More
	if more == nil {
		more = func() bool { return t.Done() < t.settings.Epochs }
	}
	if done := t.Done(); l.Validated < done && l.Due(done) {
		if err := l.validate(ctx, done); err != nil {
			return err
		}
	}
	for more() && !l.Stopped() {
		stats, err := t.Epoch(ctx)
		if err != nil {
			return err
		}
		if l.Trained != nil {
			if err := l.Trained(stats); err != nil {
				return err
			}
		}
		if l.Due(stats.Epoch) {
			if err := l.validate(ctx, stats.Epoch); err != nil {
				return err
			}
		}
		if l.Ended != nil {
			if err := l.Ended(stats.Epoch); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Loop) validate(ctx context.Context, epoch int) error {
	value, err := l.Validate(ctx, epoch)
	if err != nil {
		return err
	}
	l.Validated = epoch
	if l.Stop != nil && l.Stop.Observe(epoch, value) && l.Improved != nil {
		return l.Improved(epoch)
	}
	return nil
}
