package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// withRun loads a finished run for one command. The argument may also be a graph: then the best run on it answers, or
// its refit, and one is made if there is none. ask may be nil. If it returns an error, because the graph lacks what the
// command names, no run is made.
func (a *app) withRun(ctx context.Context, ref string, ask func(*kg.Graph) error,
	do func(context.Context, *answer.Run) error) error {
	return a.withRunOf(ctx, ref, ask, false, do)
}

// withMeasured is withRun for a command that measures: the best run on a graph does, and not its refit.
func (a *app) withMeasured(ctx context.Context, ref string, ask func(*kg.Graph) error,
	do func(context.Context, *answer.Run) error) error {
	return a.withRunOf(ctx, ref, ask, true, do)
}

func (a *app) withRunOf(ctx context.Context, ref string, ask func(*kg.Graph) error, measured bool,
	do func(context.Context, *answer.Run) error) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	if err := checkSIMD(); err != nil {
		return err
	}
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		info, err := a.findModel(ctx, t, ref)
		data, isGraph := config.FindGraph(ref, dirs)
		switch {
		case tracker.ErrorCode(err) == tracker.CodeNotFound && isGraph:
			info, err = a.findAnswering(ctx, t, data, dirs, ask, measured)
		case err == nil && isGraph && filepath.IsAbs(data) && !strings.ContainsRune(ref, filepath.Separator):
			fmt.Fprintf(a.stderr, "note: run %s has this name; ./%s asks the file\n", tracker.ShortID(info.ID),
				visible.Line(ref))
		}
		if err != nil {
			return err
		}
		run, err := a.openRun(ctx, t, info.ID, dirs)
		if err != nil {
			return err
		}
		return do(ctx, run)
	})
}

// openRun opens a run, and writes a note if it is unfinished.
func (a *app) openRun(ctx context.Context, t *tracker.Tracker, id string, dirs []string) (*answer.Run, error) {
	run, err := answer.Open(ctx, t, id, dirs)
	if err == nil {
		a.noteUnfinished(run)
	}
	return run, err
}

// findAnswering finds or makes the run that answers for a graph, or is measured, and writes which one it is.
func (a *app) findAnswering(ctx context.Context, t *tracker.Tracker, data string, dirs []string,
	ask func(*kg.Graph) error, measured bool) (tracker.RunInfo, error) {
	listener, end := a.progress(false)
	r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx), Progress: briefly{listener}}
	done := a.interrupts.register(r.Abandon)
	found, err := r.Answerer(ctx, config.Layers{Env: a.env}, data, ask)
	done()
	end()
	if err != nil {
		return tracker.RunInfo{}, readOtherwise(err)
	}
	if measured {
		found.Refit = tracker.RunInfo{}
	}
	a.noteAnswerer(found)
	return found.Answers(), nil
}

// noteAnswerer says on stderr which run answers for a graph, and what may answer better.
func (a *app) noteAnswerer(found *experiments.Answerer) {
	run := found.Run
	text := fmt.Sprintf("note: %s answers, run %s", answer.ReadLogged(run.RunInfo).Title(),
		tracker.ShortID(run.ID))
	if found.Made {
		text += ", made now"
	}
	if found.Runs > 1 && run.Validated() {
		text += fmt.Sprintf(", the best of %s on this graph by MRR on validation facts (%s)",
			quantity.Count(found.Runs, "run"), strings.TrimPrefix(fmt.Sprintf("%.3f", run.MRR), "0"))
	}
	if found.Refit.ID != "" {
		text += fmt.Sprintf("; run %s, its model trained again on all facts, answers in its place",
			tracker.ShortID(found.Refit.ID))
	}
	fmt.Fprintln(a.stderr, visible.Line(text))
	if found.Lack != nil {
		fmt.Fprintln(a.stderr, visible.Line("note: ULTRA may answer better; "+present.Error(found.Lack, present.Program())))
	}
}

// readOtherwise adds, for a file that a query cannot read without flags, how to query a run on it.
func readOtherwise(err error) error {
	for _, h := range hint.Of(err) {
		if h.Action == hint.NameColumns || h.Action == hint.NameRelation || h.Action == hint.ChooseQuotes {
			return fmt.Errorf("%w; only train has a flag to read such a file; query its run by name", err)
		}
	}
	return err
}

// briefly shows warnings, and work that takes long, of a run that is made for a question.
type briefly struct{ to progress.Listener }

// Event implements progress.Listener.
func (b briefly) Event(e progress.Event) {
	if e.Event == progress.Evaluating || e.Event == progress.Note && strings.HasPrefix(e.Message, "warning") {
		b.to.Event(e)
	}
}
