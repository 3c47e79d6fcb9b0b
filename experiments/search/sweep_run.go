package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Options are what else a sweep does.
type Options struct {
	// Export is called with the id of every finished run and returns the file that it wrote, "" if that was there
	// already. It may be nil.
	Export func(ctx context.Context, runID string) (file string, err error)
	Say    func(string)       // receives a line for every step; may be nil
	Scored func(t *Trial)     // receives a trial of a search whenever it has a score, now or from before; may be nil
	Flags  []config.FlagValue // for runs that are resumed: threads and the tracker

	// ForStack takes finished runs only with their model, which imported runs lack. If there is no other it also takes
	// one whose training --finish ended.
	ForStack bool
}

// Plan returns what the sweep trains in all, in one sentence for people.
func (s *Sweep) Plan() string {
	if s.Search != nil {
		return s.Search.Plan()
	}
	epochs, graphs := 0, map[string]bool{}
	for _, job := range s.Jobs {
		epochs += job.Config().Train.Epochs
		graphs[job.Config().Data] = true
	}
	return fmt.Sprintf("sweep %s: %s on %s, %d epochs in all", s.QueueName(), quantity.Count(len(s.Jobs), "run"),
		quantity.Count(len(graphs), "graph"), epochs)
}

// Run trains what is missing, in order: it skips finished runs and resumes started ones. After a failed run the others
// are still trained; the error at the end counts the failures. When ctx ends, Run saves the run in progress and
// returns.
func (s *Sweep) Run(ctx context.Context, r *experiments.Runner, o Options) (err error) {
	say := o.Say
	if say == nil {
		say = func(string) {}
	}
	group := newSweepGroup(r.Tracker, s.File, s.content, say)
	defer func() { group.end(ctx, err) }()
	var failed []string
	var first error
	for i, job := range s.Jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		where := fmt.Sprintf("sweep: %d of %d: %s", i+1, len(s.Jobs), job.Title())
		id, err := runJob(ctx, r, job, group, where, o, say)
		if err == nil { // a run that ended while the database was away waits in its spool
			_, err = r.Tracker.ReplaySpools(ctx)
		}
		if err == nil && o.Export != nil {
			var file string
			if file, err = o.Export(ctx, id); err == nil && file != "" {
				say(where + ": exported to " + file)
			}
		}
		if err == nil {
			continue
		}
		var stopped *experiments.InterruptedError
		if errors.As(err, &stopped) || ctx.Err() != nil {
			say(where + ": stopped; the same sweep continues from here")
			return err
		}
		say(where + ": failed: " + err.Error())
		failed = append(failed, job.Title())
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return fmt.Errorf("%d of %d runs of the sweep failed (%s); the first: %w", len(failed), len(s.Jobs),
			strings.Join(failed, "; "), first)
	}
	return nil
}

// WouldFailAgain reports whether a job that failed would fail in the same way again.
func WouldFailAgain(err error) bool {
	return errors.Is(err, errDiverged) || experiments.Diverged(err) || errors.Is(err, errSearchStopped) ||
		errors.Is(err, errNoTrial)
}

// errDiverged is the reason why a run is not trained again.
var errDiverged = errors.New("diverged, and would again; change its config")

// Train brings a job of an enqueued sweep to its end, as a run of the sweep's group, and returns the run's id. where
// begins what o.Say gets to know.
func (j Job) Train(ctx context.Context, r *experiments.Runner, sweep, where string, o Options) (string, error) {
	return runJob(ctx, r, j, newSweepGroup(r.Tracker, sweep, nil, o.Say), where, o, o.Say)
}

// runJob brings one job to its end, as a run of the group, and returns the run's id.
func runJob(ctx context.Context, r *experiments.Runner, job Job, group *sweepGroup, where string, o Options,
	say func(string)) (string, error) {
	g, err := job.Config().Graph(r.DataDirs)
	if err != nil {
		return "", err
	}
	return runJobOn(ctx, r, job, g, group, where, o, say)
}

// runJobOn is runJob with the job's graph. Without a group the run belongs to none.
func runJobOn(ctx context.Context, r *experiments.Runner, job Job, g *kg.Graph, group *sweepGroup, where string,
	o Options, say func(string)) (string, error) {
	status, err := jobStatus(ctx, r, job, g)
	if err != nil {
		return "", err
	}
	if o.ForStack {
		status.settle(r.Tracker)
	}
	experiment := job.Config().ExperimentIn(g)
	if status.Run.ID != "" {
		if err := group.join(ctx, experiment, status.Run); err != nil {
			return "", err
		}
	}
	if reached, err := reaches(ctx, r.Tracker, status, job.Until, job.Config().Eval.Every); err != nil || reached {
		return status.Run.ID, err
	}
	work := func(ctx context.Context) (*experiments.Result, error) { return group.train(ctx, r, job.Checked, g) }
	switch status.State {
	case Done:
		note := ""
		switch ended := answer.ReadLogged(status.Run).Ended; {
		case status.Run.Tags[tracker.TagImported] != "":
			note = ", imported"
		case ended > 0:
			note = fmt.Sprintf(", ended after epoch %d of %d", ended, job.Config().Train.Epochs)
		}
		say(fmt.Sprintf("%s: done already (run %s%s)", where, tracker.ShortID(status.Run.ID), note))
		return status.Run.ID, nil
	case Diverged:
		return "", fmt.Errorf("%s %w", answer.RunTitle(status.Run.ID, status.Run.Name), errDiverged)
	case Started:
		say(fmt.Sprintf("%s: resuming run %s", where, tracker.ShortID(status.Run.ID)))
		work = func(ctx context.Context) (*experiments.Result, error) {
			return r.Resume(ctx, status.Run.ID, config.Layers{Flags: o.Flags})
		}
	default:
		say(where + ": training")
	}
	result, err := r.Until(ctx, job.Until, job.Config().Eval.Every, work)
	if paused, ok := errors.AsType[*experiments.PausedError](err); ok {
		return paused.RunID, nil
	}
	if err != nil {
		return "", err
	}
	return result.RunID, nil
}

// settle decides whether a job of a stack is done: it is if its finished run has a model. A run that was ended early
// takes the place of none.
func (s *Status) settle(t *tracker.Tracker) {
	if s.State == Done && !answer.CanAnswer(t, s.Run) {
		s.State, s.Run = Missing, tracker.RunInfo{}
	}
	if s.State == Missing && s.Short.ID != "" && answer.CanAnswer(t, s.Short) {
		s.State, s.Run = Done, s.Short
	}
}

// reaches reports whether a run that was started has logged the epoch that a job ends with, and its validation where
// one is due. Then a worker died, or the program, before it could say so.
func reaches(ctx context.Context, t *tracker.Tracker, status Status, until, every int) (bool, error) {
	if until == 0 || status.State != Started {
		return false, nil
	}
	keys := []string{"loss"}
	if every > 0 && until%every == 0 {
		keys = append(keys, "valid/head_f1")
	}
	for _, key := range keys {
		points, err := t.History(ctx, status.Run.ID, key)
		if err != nil || !slices.ContainsFunc(points, func(p tracker.Point) bool { return p.Step >= int64(until) }) {
			return false, err
		}
	}
	return true, nil
}
