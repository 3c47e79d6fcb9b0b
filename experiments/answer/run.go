// Package answer reads saved runs and answers with them: what a run has logged, its model and graph, sets of answers by
// a cut, probabilities, and evaluations again. It trains nothing.
package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// Model is what a run answers with: a trained *sphere.Model, a counted *rule.Model, an *inductive.Model,
// the *Scores of a file, or a *stack.Stack of some.
type Model interface {
	eval.Model
	retrieve.Model
	Digest() string
}

// Run is a finished run, loaded, or an unfinished one with its saved model, see UnfinishedNote.
type Run struct {
	Info   tracker.RunInfo
	Graph  *kg.Graph
	Model  Model
	Config *config.Config

	isSaved    bool // the run is unfinished, and Model is what it has saved
	savedEpoch int  // after which Model was saved; 0 where that is unknown

	isUnkept bool // what is fitted is neither read from the run's artifacts nor kept there
	fitting  sync.Mutex
	fitted   []sphere.Thresholds // nil until they are first needed

	calibrated *eval.Calibrated // nil until it is first needed; under fitting

	estimating sync.Mutex
	estimators [2]*retrieve.Facts // nil until they are first needed; by whether the cut is one of a coverage

	measured func(ctx context.Context) (*Run, error) // the run that was measured, of a refit; nil for others

	noting sync.Mutex
	notes  map[string]*hint.Note // by cut without slack: what NovelNote says of it
}

// NotTrainedError is the error for a run without a trained model, with the reason.
type NotTrainedError struct {
	RunID, RunName string
	Reason         string
	isResumable    bool
}

func (e *NotTrainedError) Error() string {
	return RunTitle(e.RunID, e.RunName) + " has no trained model: " + e.Reason
}

// Hints returns how to finish the run if it has a saved state.
func (e *NotTrainedError) Hints() []hint.Hint { return ResumeHint(e.RunID, e.isResumable) }

func NotTrained(info tracker.RunInfo) error {
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
	return &NotTrainedError{RunID: info.ID, RunName: info.Name, Reason: reason, isResumable: resumable}
}

// FindModel is tracker.FindRun for what needs a trained model: of several runs of a name it finds the newest that has
// one, else the newest that has a saved state; "last" is the newest run that has either.
func FindModel(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	return t.FindRunWhere(ctx, ref, func(run tracker.RunInfo) bool { return CanAnswer(t, run) }, CanResume)
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

// Open loads a run: its graph, its model and its config. Of an interrupted or failed run it loads the saved model;
// what is fitted for that is not kept. A run without either, or one that is still running, is a *NotTrainedError.
func Open(ctx context.Context, t *tracker.Tracker, ref string, dirs []string) (*Run, error) {
	info, err := FindModel(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	run, err := open(ctx, t, info, dirs)
	if err == nil {
		run.keepMeasured(t, dirs)
	}
	return run, err
}

// open is Open for a run that was found.
func open(ctx context.Context, t *tracker.Tracker, info tracker.RunInfo, dirs []string) (*Run, error) {
	if (info.Status == string(tracker.Finished) || info.InBucket() && CanResume(info)) && !modelHere(info) {
		if err := t.Fetch(ctx, info); err != nil { // from a tracking server or a bucket
			return nil, err
		}
	}
	if len(ReadLogged(info).Stack) > 0 {
		return openStackRun(info, dirs)
	}
	if ReadLogged(info).Model == sphere.Scores {
		return openScoresRun(info, dirs)
	}
	if sphere.IsUntrained(ReadLogged(info).Model) {
		return openUntrainedRun(info, dirs)
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	run := &Run{Info: info}
	model, _, err := sphere.Load(filepath.Join(dir, ModelFile))
	missing := errors.Is(err, fs.ErrNotExist)
	if missing && (!CanResume(info) || info.Status == string(tracker.Running)) {
		return nil, NotTrained(info)
	}
	if err != nil && !missing {
		return nil, err
	}
	checked, err := config.Load(config.Layers{Config: filepath.Join(dir, ConfigFile)})
	if err != nil {
		return nil, err
	}
	run.Config = checked.Config()
	if missing {
		model, run.savedEpoch, err = openSaved(dir, run.Config)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, NotTrained(info)
		}
		if err != nil {
			return nil, err
		}
		run.isSaved, run.isUnkept = true, true
	}
	if run.Graph, err = OpenGraph(info, dirs); err != nil {
		return nil, err
	}
	if model.Entities() != run.Graph.Entities.Len() {
		return nil, fmt.Errorf("%s: its model has %d entities and its graph %d", RunTitle(info.ID, info.Name),
			model.Entities(), run.Graph.Entities.Len())
	}
	run.Model = model
	return run, nil
}

// openStackRun is Open for a stack.
func openStackRun(info tracker.RunInfo, dirs []string) (*Run, error) {
	if !modelHere(info) {
		return nil, NotTrained(info)
	}
	g, err := OpenGraph(info, dirs)
	if err != nil {
		return nil, err
	}
	model, err := openStack(info, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", RunTitle(info.ID, info.Name), err)
	}
	return &Run{Info: info, Graph: g, Model: model, Config: ReadLogged(info).Config}, nil
}

// judged returns the model for evaluations of the run.
func (r *Run) judged() eval.Model { return r.Config.Judged(r.Model, r.Graph) }

// judge returns the model for validation queries. A stack answers them by weights that were fitted without them.
func (r *Run) judge() eval.Model {
	if s, ok := r.Model.(*stack.Stack); ok {
		return r.Config.Judged(s.Crossed(), r.Graph)
	}
	return r.judged()
}

// DropItself is the run as if its config had eval.drop_itself, for evaluations. What is fitted for it is not kept.
func (r *Run) DropItself() *Run {
	if r.Config.Eval.DropItself {
		return r
	}
	c := r.Config.Clone()
	c.Eval.DropItself = true
	return &Run{Info: r.Info, Graph: r.Graph, Model: r.Model, Config: c, isUnkept: true, isSaved: r.isSaved,
		savedEpoch: r.savedEpoch}
}

// Criterion is the one that the run's config chooses, else the model's own; "" if it has none.
func (r *Run) Criterion() sphere.Criterion {
	return cmp.Or(r.Config.Criterion(), r.Model.DefaultCriterion())
}
