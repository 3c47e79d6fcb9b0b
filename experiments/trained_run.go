package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// Model is what a run answers with: a trained *sphere.Model, or a *stack.Stack of some.
type Model interface {
	eval.Model
	retrieve.Model
	Digest() string
}

// TrainedRun is a finished run, loaded, or an unfinished one with its saved model, see UnfinishedNote.
type TrainedRun struct {
	Info   tracker.RunInfo
	Graph  *kg.Graph
	Model  Model
	Config *Config

	saved      bool // the run is unfinished, and Model is what it has saved
	savedEpoch int  // after which Model was saved; 0 where that is unknown

	unkept  bool // what is fitted is neither read from the run's artifacts nor kept there
	fitting sync.Mutex
	fitted  []sphere.Thresholds // nil until they are first needed

	calibrated *eval.Calibrated // nil until it is first needed; under fitting

	estimating sync.Mutex
	estimator  *retrieve.Facts // nil until it is first needed

	noting sync.Mutex
	notes  map[string]*hint.Note // by cut without slack: what NovelNote says of it
}

// NotTrainedError says that a run has no trained model, and why.
type NotTrainedError struct {
	RunID, RunName string
	Reason         string
	resumable      bool
}

func (e *NotTrainedError) Error() string {
	return runTitle(e.RunID, e.RunName) + " has no trained model: " + e.Reason
}

// Hints says how to finish the run if it has a saved state.
func (e *NotTrainedError) Hints() []hint.Hint { return resumeHint(e.RunID, e.resumable) }

func notTrained(info tracker.RunInfo) error {
	reason := "its status is " + cmp.Or(info.Status, "not logged")
	switch {
	case ReadLogged(info).Config == nil:
		reason = "another program logged it"
	case info.Tags[tracker.TagImported] != "":
		reason = "it was imported without its checkpoint; train its config again"
		if info.Params[ParamStack] != "" {
			reason = "it was imported without its models; stack runs that have them"
		}
	case info.Status == string(tracker.Finished):
		reason = "its checkpoint was deleted"
	case info.Status == string(tracker.Running):
		reason = "it is still running; wait for its end"
	case info.Status == string(tracker.Killed):
		reason = "it was interrupted"
	case info.Status == string(tracker.Failed):
		reason = "it failed"
	}
	resumable := CanResume(info) && info.Status != string(tracker.Running)
	return &NotTrainedError{RunID: info.ID, RunName: info.Name, Reason: reason, resumable: resumable}
}

// FindModel is tracker.FindRun for what needs a trained model: of several runs of a name it finds the newest that has
// one, else the newest that has a saved state; "last" is the newest run that has either.
func FindModel(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	return t.FindRunWhere(ctx, ref, func(run tracker.RunInfo) bool {
		// A tracking server's artifacts are fetched when they are needed.
		return HasModel(run) || t.Remote() && ReadLogged(run).Checkpoint != "" &&
			run.Status == string(tracker.Finished) && !ReadLogged(run).Imported
	}, CanResume)
}

// FindResumable is tracker.FindRun for what continues a run: of several runs of a name it finds the newest that can be
// resumed. "last" is the newest run, whatever became of it.
func FindResumable(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	if strings.TrimSpace(ref) == "last" {
		return t.FindRun(ctx, ref)
	}
	return t.FindRunWhere(ctx, ref, CanResume)
}

// FindFinished is tracker.FindRun for what compares or repeats numbers: of several runs of a name it finds the newest
// that is finished. "last" is the newest run, whatever became of it.
func FindFinished(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	if strings.TrimSpace(ref) == "last" {
		return t.FindRun(ctx, ref)
	}
	return t.FindRunWhere(ctx, ref, func(run tracker.RunInfo) bool { return run.Status == string(tracker.Finished) })
}

// OpenRun loads a run: its graph, its model and its config. Of an interrupted or failed run it loads the saved model;
// what is fitted for that is not kept. A run without either, or one that is still running, is a *NotTrainedError.
func OpenRun(ctx context.Context, t *tracker.Tracker, ref string, dirs []string) (*TrainedRun, error) {
	info, err := FindModel(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	if (info.Status == string(tracker.Finished) || info.InBucket() && CanResume(info)) && !modelHere(info) {
		if err := t.Fetch(ctx, info); err != nil { // from a tracking server or a bucket
			return nil, err
		}
	}
	if len(ReadLogged(info).Stack) > 0 {
		return openStackRun(info, dirs)
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	run := &TrainedRun{Info: info}
	model, _, err := sphere.Load(filepath.Join(dir, modelFile))
	missing := errors.Is(err, fs.ErrNotExist)
	if missing && (!CanResume(info) || info.Status == string(tracker.Running)) {
		return nil, notTrained(info)
	}
	if err != nil && !missing {
		return nil, err
	}
	if run.Config, err = LoadConfig(Layers{Config: filepath.Join(dir, configFile)}); err != nil {
		return nil, err
	}
	if missing {
		model, run.savedEpoch, err = openSaved(dir, run.Config)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notTrained(info)
		}
		if err != nil {
			return nil, err
		}
		run.saved, run.unkept = true, true
	}
	if run.Graph, err = OpenRunGraph(info, dirs); err != nil {
		return nil, err
	}
	if model.Entities() != run.Graph.Entities.Len() {
		return nil, fmt.Errorf("%s: its model has %d entities and its graph %d", runTitle(info.ID, info.Name),
			model.Entities(), run.Graph.Entities.Len())
	}
	run.Model = model
	return run, nil
}

// openStackRun is OpenRun for a stack.
func openStackRun(info tracker.RunInfo, dirs []string) (*TrainedRun, error) {
	if !modelHere(info) {
		return nil, notTrained(info)
	}
	g, err := OpenRunGraph(info, dirs)
	if err != nil {
		return nil, err
	}
	model, err := openStack(info, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", runTitle(info.ID, info.Name), err)
	}
	return &TrainedRun{Info: info, Graph: g, Model: model, Config: ReadLogged(info).Config}, nil
}

// judged is the model as evaluations of the run see it.
func (r *TrainedRun) judged() eval.Model { return r.Config.judged(r.Model, r.Graph) }

// judge is the model for validation queries: those of a stack are answered by weights that were fitted without them.
func (r *TrainedRun) judge() eval.Model {
	if s, ok := r.Model.(*stack.Stack); ok {
		return r.Config.judged(s.Crossed(), r.Graph)
	}
	return r.judged()
}

// DropItself is the run as if its config had eval.drop_itself, for evaluations. What is fitted for it is not kept.
func (r *TrainedRun) DropItself() *TrainedRun {
	if r.Config.Eval.DropItself {
		return r
	}
	c := r.Config.Clone()
	c.Eval.DropItself = true
	return &TrainedRun{Info: r.Info, Graph: r.Graph, Model: r.Model, Config: c, unkept: true, saved: r.saved,
		savedEpoch: r.savedEpoch}
}

// Criterion is the one that the run's config chooses, else the model's own; "" if it has none.
func (r *TrainedRun) Criterion() sphere.Criterion {
	return cmp.Or(r.Config.criterion(), r.Model.DefaultCriterion())
}
