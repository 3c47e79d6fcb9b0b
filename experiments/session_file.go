package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// saveOnTheWay is save for a training that can also go on without it, until the database is back.
func (s *session) saveOnTheWay(ctx context.Context) error {
	err := s.save(ctx)
	said := s.away
	if s.away = tracker.ErrorCode(err) == tracker.CodeSpooled; s.away && said {
		return nil
	}
	return s.warnIfSpooled(err)
}

// remove removes files that a finished run no longer needs.
func (s *session) remove(ctx context.Context, names ...string) {
	var errs []error
	for _, name := range names {
		if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, err := range append(errs, s.run.Withdraw(ctx, names...)) {
		if err != nil {
			s.note("warning: the run is finished, and a file that it no longer needs stays: %v", err)
		}
	}
}

// save writes the state to resume from. A model with NaN never replaces a good state. What a shared run has logged and
// published is stored first: the spool stays on this machine, and a worker that resumes elsewhere logs only what
// follows the state.
func (s *session) save(ctx context.Context) error {
	if s.shared {
		if err := s.run.Flush(ctx); err != nil {
			return err
		}
	}
	err := s.trainer.Save(s.path(stateFile))
	if notFinite, ok := errors.AsType[*sphere.NotFiniteError](err); ok {
		return fmt.Errorf("%w; a smaller train.learning_rate may help", notFinite)
	}
	if err != nil {
		return fmt.Errorf("cannot save the state of the run: %w", err)
	}
	s.saved = s.trainer.Done()
	if s.run.InBucket() { // a state without its best model is of no use, so that comes first
		if err := s.run.Publish(ctx, bestFile, stateFile); err != nil {
			return err
		}
	}
	s.event(Event{Event: Saved, Epoch: s.saved, Artifact: stateFile})
	return nil
}

// tidy removes the unfinished files of programs that were killed while they saved this run.
func (s *session) tidy() error {
	var errs []error
	for _, name := range []string{modelFile, stateFile, bestFile} {
		errs = append(errs, atomicfile.RemoveUnfinished(s.path(name)))
	}
	return errors.Join(errs...)
}

// write replaces one of the run's artifacts.
func (s *session) write(name string, content []byte) error {
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, content, 0o644)
}
