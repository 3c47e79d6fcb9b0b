package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// saveOnTheWay is save for a training that can continue without it until the database is back.
func (s *session) saveOnTheWay(ctx context.Context) error {
	err := s.save(ctx)
	said := s.wasAway
	if s.wasAway = tracker.ErrorCode(err) == tracker.CodeSpooled; s.wasAway && said {
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
			s.note("warning: the run is finished, but a file that it no longer needs could not be removed: %v", err)
		}
	}
}

// save writes the state to resume from. A model with NaN never replaces a good state. What a shared run has logged and
// published is stored first: the spool is on this machine, and a worker that resumes elsewhere logs only what comes
// after the state.
func (s *session) save(ctx context.Context) error {
	if s.isShared {
		if err := s.run.Flush(ctx); err != nil {
			return err
		}
	}
	err := s.trainer.Save(s.path(answer.StateFile))
	if notFinite, ok := errors.AsType[*sphere.NotFiniteError](err); ok {
		return fmt.Errorf("%w; a smaller train.learning_rate may help", notFinite)
	}
	if err != nil {
		return fmt.Errorf("cannot save the state of the run: %w", err)
	}
	s.saved = s.trainer.Done()
	if s.run.InBucket() { // a state is useless without its best model, so the model is written first
		if err := s.run.Publish(ctx, answer.BestFile, answer.StateFile); err != nil {
			return err
		}
	}
	s.event(progress.Event{Event: progress.Saved, Epoch: s.saved, Artifact: answer.StateFile})
	return nil
}

// tidy removes unfinished files of programs that were killed while they saved this run.
func (s *session) tidy() error {
	var errs []error
	for _, name := range []string{answer.ModelFile, answer.StateFile, answer.BestFile} {
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

// largestKept bounds the size of a file that is kept, in bytes.
const largestKept = 64 << 20

// keepGraph copies the file that the run's graph was read from to the run's artifacts.
func (s *session) keepGraph() error {
	if !kg.IsFile(s.graph.Source) {
		return nil
	}
	info, err := os.Stat(s.graph.Source)
	if err == nil && info.Size() > largestKept {
		return nil
	}
	content, err := os.ReadFile(s.graph.Source)
	if err != nil {
		return fmt.Errorf("keep the graph's file with the run: %w", err)
	}
	return s.write(answer.GraphFolder+"/"+filepath.Base(s.graph.Source), content)
}

// keepNames writes the names, so that other programs can read the model without the graph.
func (s *session) keepNames() error {
	entities, relations, err := answer.NameTables(s.graph)
	if err != nil {
		return err
	}
	if err := s.write(answer.EntitiesFile, entities); err != nil {
		return err
	}
	return s.write(answer.RelationsFile, relations)
}
