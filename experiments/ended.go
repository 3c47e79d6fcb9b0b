package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// bestEpochKey is in the metadata of bestFile the epoch of its model.
const bestEpochKey = "epoch"

// deadline is when the time limit of a training that begins now is over; zero without one.
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

// endInTime ends the training after an epoch if its time is up and the epoch left something behind: the model of a
// validation where the best one is kept, else a state.
func (s *session) endInTime(epoch int) {
	if s.deadline.IsZero() || time.Now().Before(s.deadline) || epoch >= s.lastEpoch() || s.stop.done() {
		return
	}
	saves := s.cfg.Train.SaveEvery == 0 || epoch%s.cfg.Train.SaveEvery == 0
	if s.stop.enabled() {
		saves = s.validationDue(epoch)
	}
	if saves {
		s.end = epoch
	}
}

// logEnd logs that the training has ended before its config says. From here on the run is only evaluated, also when it
// is resumed.
func (s *session) logEnd() error {
	done := s.done()
	if s.end == 0 || s.stop.done() || done >= s.cfg.Train.Epochs {
		return nil
	}
	s.event(Event{Event: Stopped, Epoch: done, Message: fmt.Sprintf("ended after epoch %d of %d", done,
		s.cfg.Train.Epochs)})
	return s.run.SetTags(map[string]string{TagEnded: strconv.Itoa(done)})
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
	if s.stop.enabled() && logged > 0 {
		if err := s.replayAll(ctx, t, logged); err != nil {
			return err
		}
		best, err := s.keptEpoch()
		if err != nil {
			return err
		}
		if s.validated == s.lastDue(logged) && best > 0 && best == s.stop.bestEpoch {
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
		return errors.New("it has not begun its first epoch, so there is nothing to evaluate")
	}
	s.end = logged
	return nil
}

// lastDue is the last epoch up to a given one that is followed by a validation.
func (s *session) lastDue(epoch int) int {
	for epoch > 0 && !s.validationDue(epoch) {
		epoch--
	}
	return epoch
}

// replayAll is replayValidations from the beginning.
func (s *session) replayAll(ctx context.Context, t *tracker.Tracker, epoch int) error {
	s.stop, s.validated = newStopper(s.cfg.EarlyStop), 0
	return s.replayValidations(ctx, t, epoch)
}

// keptEpoch is the epoch of the best model that is kept, 0 if there is none or it does not say.
func (s *session) keptEpoch() (int, error) {
	_, metadata, err := sphere.Load(s.path(bestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	epoch, err := strconv.Atoi(metadata[bestEpochKey])
	if err != nil {
		return 0, nil // of a program that did not write it
	}
	return epoch, nil
}
