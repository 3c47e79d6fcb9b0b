package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// deadline returns when the time limit of a training that begins now is over, the zero time without a limit.
func (r *Runner) deadline() time.Time {
	if r.TimeLimit <= 0 {
		return time.Time{}
	}
	return time.Now().Add(r.TimeLimit)
}

// done is the number of epochs that are trained and logged.
func (s *session) done() int { return max(s.trainer.Done(), s.through) }

// lastEpoch is the epoch after which the training ends.
func (s *session) lastEpoch() int {
	if s.end > 0 {
		return min(s.end, s.cfg.Train.Epochs)
	}
	return s.cfg.Train.Epochs
}

// endInTime ends the training after an epoch if its time is up and the epoch has saved something: the model of a
// validation if the best one is kept, otherwise a state.
func (s *session) endInTime(epoch int) {
	if s.deadline.IsZero() || time.Now().Before(s.deadline) || epoch >= s.lastEpoch() || s.stop.done() {
		return
	}
	saves := s.cfg.Train.SaveEvery == 0 || epoch%s.cfg.Train.SaveEvery == 0
	if s.stop.isEnabled() {
		saves = s.validationDue(epoch)
	}
	if saves {
		s.end = epoch
	}
}

// logEnd logs that the training has ended before the last epoch of its config. From then on the run is only evaluated,
// also when it is resumed.
func (s *session) logEnd() error {
	done := s.done()
	if s.end == 0 || s.stop.done() || done >= s.cfg.Train.Epochs {
		return nil
	}
	s.event(progress.Event{Event: progress.Stopped, Epoch: done, Message: fmt.Sprintf("ended after epoch %d of %d", done,
		s.cfg.Train.Epochs)})
	return s.run.SetTags(map[string]string{answer.TagEnded: strconv.Itoa(done)})
}

// endNow ends a restored training after the last epoch that it has logged.
func (s *session) endNow(ctx context.Context, t *tracker.Tracker) error {
	points, err := t.History(ctx, s.run.ID(), "loss")
	if err != nil {
		return err
	}
	logged := s.trainer.Done()
	for _, p := range points {
		logged = max(logged, int(p.Step))
	}
	if s.stop.isEnabled() && logged > 0 {
		if err := s.replayAll(ctx, t, logged); err != nil {
			return err
		}
		best, err := s.keptEpoch()
		if err != nil {
			return err
		}
		if s.validated == s.lastDue(logged) && best > 0 && best == s.stop.Epoch {
			s.end, s.through = logged, logged
			return nil
		}
		if err := s.replayAll(ctx, t, s.trainer.Done()); err != nil {
			return err
		}
	}
	if s.trainer.Begun() {
		logged = max(logged, s.trainer.Done()+1)
	}
	if logged == 0 {
		return errors.New("it has not finished an epoch, so there is nothing to evaluate")
	}
	s.end = logged
	return nil
}

// lastDue returns the last epoch, up to the given one, that is followed by a validation.
func (s *session) lastDue(epoch int) int {
	for epoch > 0 && !s.validationDue(epoch) {
		epoch--
	}
	return epoch
}

// replayAll is replayValidations from the first epoch.
func (s *session) replayAll(ctx context.Context, t *tracker.Tracker, epoch int) error {
	s.stop, s.validated = newStopper(s.cfg.EarlyStop), 0
	return s.replayValidations(ctx, t, epoch)
}

// keptEpoch returns the epoch of the best model that is kept, 0 if there is none or its epoch is unknown.
func (s *session) keptEpoch() (int, error) {
	_, metadata, err := sphere.Load(s.path(answer.BestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	epoch, err := strconv.Atoi(metadata[answer.BestEpochKey])
	if err != nil {
		return 0, nil // an earlier version did not write it
	}
	return epoch, nil
}
