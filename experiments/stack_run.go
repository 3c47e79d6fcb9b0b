package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// driveStack fits, stores and evaluates a stack as the run in progress, and ends it as FINISHED, KILLED or FAILED. The
// stages before make its models.
func (r *Runner) driveStack(ctx context.Context, cfg *config.Config, g *kg.Graph, run *tracker.Run, before ...stage) (
	*Result, error) {
	s := &session{cfg: cfg, graph: g, run: run, tracker: r.Tracker, began: time.Now(), saved: -1,
		progress: cmp.Or(r.Progress, progress.Listener(progress.Silent{}))}
	stages := stacking
	if cfg.Split.Whole {
		stages = restacking
	}
	return r.driveFit(ctx, s, answer.StackStateFile, outcome{}, append(before, stages...))
}

// publishParts sends the models, for another machine that may resume the run.
func (s *session) publishParts(ctx context.Context, _ *outcome) error {
	if s.run.InBucket() {
		return s.publish(ctx)
	}
	return nil
}

// driveFit does the work of a run without epochs as the run in progress, and ends it as KILLED or FAILED if it does not
// finish. If the file state exists, the run can be resumed.
func (r *Runner) driveFit(ctx context.Context, s *session, state string, o outcome, stages []stage) (*Result, error) {
	s.states = []string{state, answer.TuningFile, answer.TunedFile}
	r.active.Store(s)
	defer r.active.Store(nil)
	defer func() {
		if p := recover(); p != nil {
			_ = s.finish(ctx, tracker.Failed)
			panic(p)
		}
	}()
	run := s.run
	s.note("%s on %s: run %s, %s", sphere.Title(s.cfg.Model), s.graph.Name, tracker.ShortID(run.ID()), run.Name())
	ctx, release := untilAsked(ctx, run)
	defer release()
	result, err := s.walk(ctx, o, stages...)
	if err == nil {
		return result, nil
	}
	status, what := tracker.Failed, "failed"
	if interrupted(ctx, err) {
		status, what = tracker.Killed, "was interrupted"
		if errors.Is(context.Cause(ctx), errAsked) {
			err = errors.Join(errAsked, err)
		}
	}
	err = fmt.Errorf("%s %s: %w", answer.RunTitle(run.ID(), run.Name()), what, err)
	err = hint.With(err, answer.ResumeHint(run.ID(), filekind.IsFile(s.path(state)))...)
	_ = s.run.SetError(err) // it is returned in any case
	err = errors.Join(err, s.finish(ctx, status))
	s.event(progress.Event{Event: progress.RunEnded, Status: string(status), Message: err.Error()})
	return nil, err
}

// resumeStack is Resume for a stack: it fits what is not fitted yet, and evaluates the stack again.
func (r *Runner) resumeStack(ctx context.Context, info tracker.RunInfo, l config.Layers) (*Result, error) {
	title, logged := answer.RunTitle(info.ID, info.Name), answer.ReadLogged(info)
	cannot := func(err error) error { return fmt.Errorf("%s cannot be resumed: %w", title, err) }
	if !answer.HasState(info) {
		return nil, cannot(errors.New("its models are not on this machine; combine its runs again"))
	}
	if err := sameNumerics(logged.Numerics); err != nil {
		return nil, cannot(err)
	}
	cfg, err := changed(logged.Config, l)
	if err != nil {
		return nil, cannot(err)
	}
	cfg.Train.Epochs = 1
	g, err := answer.OpenGraph(info, r.DataDirs)
	if err != nil {
		return nil, err
	}
	run, err := r.open(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	return r.driveStack(ctx, cfg, g, run, r.tagResumed(info), (*session).readParts)
}

// readParts reads the models of a stack that was begun.
func (s *session) readParts(_ context.Context, o *outcome) (err error) {
	for _, name := range []string{answer.StackFile, answer.StackStateFile} {
		o.stored, o.parts, err = answer.ReadStack(s.path(name), s.graph)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s is gone", s.path(answer.StackStateFile))
}

// keepParts copies the models of a stack, since the runs that they are from may be deleted. of is the stack that was
// measured, of a refit.
func (s *session) keepParts(runs []*answer.Run, of *stack.Stack) (*answer.StoredStack, []stack.Model, error) {
	var stored answer.StoredStack
	var models []stack.Model
	var names []string
	for i, run := range runs {
		from := answer.ModelFile
		if sphere.IsUntrained(run.Config.Model) {
			from = answer.CountedFile
		}
		if run.Config.Model == sphere.Scores {
			from = answer.ScoresFile
		}
		file := fmt.Sprintf("stack-%d%s", i+1, filepath.Ext(from))
		dir, err := run.Info.ArtifactDir()
		if err != nil {
			return nil, nil, err
		}
		content, err := os.ReadFile(filepath.Join(dir, from))
		if err != nil {
			return nil, nil, err
		}
		if err := s.write(file, content); err != nil {
			return nil, nil, err
		}
		names, models = append(names, run.Info.Name), append(models, run.Model)
		stored.Models = append(stored.Models, answer.StackedModel{RunID: run.Info.ID,
			RunName: run.Info.Name, Digest: run.Model.Digest(), File: file})
	}
	if of != nil {
		stored.Fitted = of.Fitted()
	}
	stored.Features = stack.FeatureNames(names)
	if s.withTrees() {
		stored.TreeFeatures = stack.TreeFeatureNames(names)
	}
	if err := s.keepGraph(); err != nil {
		return nil, nil, err
	}
	if err := s.keepNames(); err != nil {
		return nil, nil, err
	}
	return &stored, models, s.writeStack(answer.StackStateFile, &stored)
}

func (s *session) withTrees() bool { return sphere.HasTrees(s.cfg.Model) }

func (s *session) writeStack(name string, stored *answer.StoredStack) error {
	raw, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("weights of the stack: %w", err)
	}
	return s.write(name, append(raw, '\n'))
}

// combine fits and stores a stack, unless that was done before.
func (s *session) combine(ctx context.Context, o *outcome) (err error) {
	if o.stored.Fitted.All.Head == nil {
		o.stack, err = s.fitStack(ctx, o.stored, o.parts)
	} else {
		if s.cfg.Split.Whole {
			s.note("  the weights are those of the stack that was measured")
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		o.stack, err = stack.New(o.parts, s.graph, o.stored.Fitted)
	}
	if err == nil {
		o.result = s.fitted(o.stack)
	}
	return err
}

// keepStack writes the artifact of a stack whose weights were there before.
func (s *session) keepStack(_ context.Context, o *outcome) error {
	return s.writeStack(answer.StackFile, o.stored)
}

// fitted returns the result of a run without epochs, before its evaluation.
func (s *session) fitted(model answer.Model) Result {
	return Result{RunID: s.run.ID(), RunName: s.run.Name(), Digest: model.Digest(), Graph: s.graph}
}

// tagModel records in the tracker which model it is.
func (s *session) tagModel(_ context.Context, o *outcome) error {
	return s.run.SetTags(map[string]string{answer.TagDigest: o.result.Digest})
}

func (s *session) note(format string, args ...any) {
	s.event(progress.Event{Event: progress.Note, Message: fmt.Sprintf(format, args...)})
}

// fitStack fits a stack and writes its artifact.
func (s *session) fitStack(ctx context.Context, stored *answer.StoredStack, models []stack.Model) (*stack.Stack,
	error) {
	began, cpu := time.Now(), cpuSeconds()
	model, err := stack.Fit(ctx, models, s.graph, stack.Settings{Threads: s.cfg.Threads, Progress: s.reportEvaluation,
		Sample:    s.cfg.Eval.Sample,
		WithTrees: s.withTrees(), WithClasses: s.cfg.Stack.Classes, WithoutCounts: sphere.HasNoCounts(s.cfg.Model),
		DropItself: s.cfg.Eval.DropItself,
		Growing: func(done, total int) {
			s.event(progress.Event{Event: progress.Evaluating, Done: done, Total: total, Message: progress.Growing})
		}})
	if err != nil {
		return nil, err
	}
	if err := s.logFit(began, cpu); err != nil {
		return nil, err
	}
	stored.Fitted = model.Fitted()
	if t := stored.Fitted.Trees; t != nil {
		s.note("  %d trees for head queries and %d for tail queries are confirmed by the other half of validation",
			len(t.All.Head.Trees), len(t.All.Tail.Trees))
	}
	return model, s.writeStack(answer.StackFile, stored)
}

// evaluateStack logs the metrics of validation, by crossed weights, and those of the final evaluation.
func (s *session) evaluateStack(ctx context.Context, o *outcome) error {
	began, cpu := time.Now(), cpuSeconds()
	crossed := s.cfg.Judged(o.stack.Crossed(), s.graph)
	if err := s.validateFit(ctx, crossed); err != nil {
		return err
	}
	settings := s.cfg.FinalSettings()
	settings.KeepRecords = true // for worth
	settings.Progress = s.reportEvaluation
	final, err := eval.New(s.graph, settings)
	if err != nil {
		return err
	}
	if final, err = s.withFittedCuts(ctx, crossed, final, 1); err != nil {
		return err
	}
	if len(s.graph.Valid) >= config.LeastCalibrated {
		if o.by, err = s.calibrateFit(ctx, crossed, 1); err != nil {
			return err
		}
		if err := s.keepFacts(ctx, crossed, o.by); err != nil {
			return err
		}
		if final, err = answer.WithProbabilities(final, o.by); err != nil {
			return err
		}
	}
	o.result.Report, err = s.logFinal(ctx, final, o.stack, 1, began, cpu)
	return err
}

// logFit logs the time that it took to fit a model without epochs.
func (s *session) logFit(began time.Time, cpu float64) error {
	return s.run.LogMetrics(1, map[string]float64{"system/epoch_seconds": time.Since(began).Seconds(),
		"system/cpu_seconds": cpuSeconds() - cpu})
}

// validateFit logs the metrics of validation of a model without epochs.
func (s *session) validateFit(ctx context.Context, judged eval.Model) error {
	settings := s.cfg.ValidationSettings()
	settings.Progress = s.whereSlow(1, progress.Validating)
	valid, err := eval.Run(ctx, judged, s.graph, settings)
	if err != nil {
		return err
	}
	return logEvaluation(s.run, 1, valid.LoggedMetrics())
}

// calibrateFit logs and keeps probabilities of a model that is not trained like others, at a step.
func (s *session) calibrateFit(ctx context.Context, judge eval.Model, step int) (*eval.Calibrated, error) {
	by, err := eval.Calibrate(ctx, judge, s.graph, eval.CalibrateSettings{Threads: s.cfg.Threads,
		Sample: s.cfg.Eval.Sample, Progress: s.whereSlow(step, progress.Calibrating)})
	if err != nil {
		return nil, err
	}
	if err := s.keepCalibration(by); err != nil {
		return nil, err
	}
	if err := logEvaluation(s.run, int64(step), by.LoggedMetrics()); err != nil {
		return nil, err
	}
	return by, s.chooseCuts(ctx, judge, by, step)
}

// keepFacts fits and keeps the probabilities of facts of a stack, so that its first question does not wait for them.
func (s *session) keepFacts(ctx context.Context, judge eval.Model, by *eval.Calibrated) error {
	facts, err := eval.FitFacts(ctx, judge, s.graph, by, eval.FactSettings{Threads: s.cfg.Threads,
		Sample: s.cfg.Eval.Sample, Progress: s.whereSlow(1, progress.Judging)})
	if err != nil {
		return err
	}
	raw, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("probabilities of facts: %w", err)
	}
	return s.write(answer.FactFile, raw)
}
