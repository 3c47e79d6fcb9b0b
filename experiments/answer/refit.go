package answer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// A refit is the model of a measured run, trained again on all facts. No fact is left to fit anything on, so its
// thresholds and probabilities are those of the measured run.

// keepMeasured makes the measured run of a refit available.
func (r *Run) keepMeasured(t *tracker.Tracker, dirs []string) {
	id := ReadLogged(r.Info).RefitOf
	if id == "" {
		return
	}
	var opening sync.Mutex
	var opened *Run
	r.measured = func(ctx context.Context) (_ *Run, err error) {
		opening.Lock()
		defer opening.Unlock()
		if opened == nil {
			if opened, err = Open(ctx, t, id, dirs); err != nil {
				err = fmt.Errorf("%s answers by thresholds and probabilities of run %s, which was measured: %w",
					RunTitle(r.Info.ID, r.Info.Name), tracker.ShortID(id), err)
			}
		}
		return opened, err
	}
}

// fittedOn is the graph on whose validation facts thresholds and probabilities of the run are fitted.
func (r *Run) fittedOn() *kg.Graph {
	if r.measured != nil {
		return r.Graph.Divided()
	}
	return r.Graph
}

// Measurable returns an error for a run that was trained on all facts: its own facts would measure what it has seen.
func (r *Run) Measurable() error {
	if !r.Config.Split.Whole {
		return nil
	}
	logged := ReadLogged(r.Info)
	err := fmt.Errorf("%s %s", RunTitle(r.Info.ID, r.Info.Name), unmeasured(logged))
	hidden := hint.Hint{Action: hint.MeasureHidden, Subject: r.Info.ID}
	if logged.RefitOf == "" {
		return hint.With(err, hidden)
	}
	return hint.With(err, hint.Hint{Action: hint.MeasureRun, Subject: logged.RefitOf}, hidden)
}

// unmeasured says of a run that was trained on all facts why it has no numbers.
func unmeasured(run Logged) string {
	text := "was trained on all facts, so none is left to measure it"
	if run.RefitOf != "" {
		text += "; run " + tracker.ShortID(run.RefitOf) + " was measured, before its model was trained again"
	}
	return text
}

// CopyFitted copies the thresholds and probabilities that a measured run keeps to a folder, that of its refit.
func CopyFitted(ctx context.Context, t *tracker.Tracker, measured tracker.RunInfo, folder string) error {
	names := []string{ThresholdsFile, CalibrationFile, FactFile}
	if err := t.Fetch(ctx, measured, names...); err != nil {
		return err
	}
	for _, name := range names {
		from, to := storedFile(measured, name), filepath.Join(folder, filepath.FromSlash(name))
		if from == "" {
			continue
		}
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = atomicfile.Write(to, content, 0o644)
		}
		if err != nil {
			return fmt.Errorf("thresholds and probabilities of %s: %w", RunTitle(measured.ID, measured.Name), err)
		}
	}
	return nil
}

// FindRefit returns the newest finished refit of a run that can answer; ok is false if there is none.
func FindRefit(ctx context.Context, t *tracker.Tracker, measured string) (refit tracker.RunInfo, ok bool, err error) {
	runs, err := t.Runs(ctx, tracker.Filter{Status: tracker.Finished, Tags: map[string]string{TagRefitOf: measured}})
	for _, run := range runs {
		if CanAnswer(t, run) {
			return run, true, err
		}
	}
	return tracker.RunInfo{}, false, err
}
