package answer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE"
)

// openSaved loads what an unfinished run of dir has saved: the model of its best validation where the run keeps that,
// as Finish would, else that of its state. epoch is that after which the model was saved. It is fs.ErrNotExist if there
// is neither, or no epoch was finished.
func openSaved(dir string, cfg *config.Config) (model *sphere.Model, epoch int, err error) {
	if cfg.EarlyStop.Metric != "" {
		model, metadata, err := sphere.Load(filepath.Join(dir, BestFile))
		if err == nil {
			epoch, _ := strconv.Atoi(metadata[BestEpochKey]) // 0: a program that did not write it
			return model, epoch, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, err
		}
	}
	model, steps, err := sphere.LoadState(filepath.Join(dir, StateFile))
	if err == nil && steps < uint64(cfg.Train.Steps) {
		return nil, 0, fs.ErrNotExist // it has learned almost nothing
	}
	if err != nil {
		return nil, 0, err
	}
	return model, int(steps / uint64(max(1, cfg.Train.Steps))), nil
}

// UnfinishedNote returns a note that the run is not finished, with the model that answers instead; "" for a finished
// run.
func (r *Run) UnfinishedNote() string {
	if !r.isSaved {
		return ""
	}
	model := "the model of its best validation"
	if r.Config.EarlyStop.Metric == "" || r.savedEpoch > 0 {
		model = fmt.Sprintf("its saved model after epoch %d of %d", r.savedEpoch, r.Config.Train.Epochs)
	}
	return fmt.Sprintf("%s was not finished; this is %s", RunTitle(r.Info.ID, r.Info.Name), model)
}

// IsFinished reports whether the run is finished, so that Model is its trained one.
func (r *Run) IsFinished() bool { return !r.isSaved }
