package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/tracker"
)

// count makes the counted model of a config as a new run. It is made already if model is not nil.
func (r *Runner) count(ctx context.Context, cfg *config.Config, g *kg.Graph, simd, roots string,
	model answer.Untrained) (*Result, error) {
	if err := CheckWeights(cfg.Model, r.DataDirs); err != nil { // before a run is created that would fail
		return nil, err
	}
	cfg.DropTraining()
	s, err := newSession(r, cfg, g)
	if err != nil {
		return nil, err
	}
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.ExperimentIn(g), Name: cfg.RunName(g),
		Params: r.params(cfg, g), Tags: r.tags(cfg, g, simd, roots, 0), Claim: r.Claim, Inputs: datasets(g)})
	if err != nil {
		return nil, err
	}
	s.run, s.isShared = run, s.isShared || run.InBucket()
	return r.driveFit(ctx, s, answer.CountedStateFile, outcome{dirs: r.DataDirs, counted: model},
		append([]stage{(*session).keepInput, (*session).keepCountedState}, counting...))
}

// keepCountedState writes and publishes what another machine needs to count the model.
func (s *session) keepCountedState(ctx context.Context, _ *outcome) error {
	if err := s.keepNames(); err != nil {
		return err
	}
	if err := s.write(answer.CountedStateFile, []byte("{}\n")); err != nil {
		return err
	}
	return s.publish(ctx)
}

// resumeCounted is Resume for a counted model: it counts again and evaluates.
func (r *Runner) resumeCounted(ctx context.Context, info tracker.RunInfo, l config.Layers) (*Result, error) {
	cannot := func(err error) error {
		return fmt.Errorf("%s cannot be resumed: %w", answer.RunTitle(info.ID, info.Name), err)
	}
	if !answer.HasState(info) {
		return nil, cannot(errors.New("it has no saved state on this machine; train it again"))
	}
	if err := sameNumerics(answer.ReadLogged(info).Numerics); err != nil {
		return nil, cannot(err)
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	cfg, err := runConfig(dir, l)
	if err != nil {
		return nil, cannot(err)
	}
	g, err := answer.OpenGraph(info, r.DataDirs)
	if err != nil {
		return nil, err
	}
	s, err := r.reopen(ctx, info, cfg, g)
	if err != nil {
		return nil, err
	}
	return r.driveFit(ctx, s, answer.CountedStateFile, outcome{dirs: r.DataDirs},
		append([]stage{r.tagResumed(info)}, counting...))
}

// tagResumed records in the tracker that a run is resumed.
func (r *Runner) tagResumed(info tracker.RunInfo) stage {
	return func(s *session, _ context.Context, _ *outcome) error {
		return s.run.SetTags(resumedTags(info, r.Environment.GitHead))
	}
}

// makeCounted makes the model of the config. The weights of an inductive model are searched in the folders.
func (s *session) makeCounted(ctx context.Context, dirs []string) (answer.Untrained, error) {
	if sphere.IsInductive(s.cfg.Model) {
		return s.makeInductive(ctx, dirs)
	}
	model, err := rule.Fit(ctx, s.cfg.Model, s.graph.Divided(), rule.Settings{Threads: s.cfg.Threads,
		Steps: s.cfg.Train.Steps, Seed: s.cfg.Seed, Progress: s.whereSlow(1, progress.Mining)})
	if err != nil || !s.cfg.Split.Whole {
		return model, err
	}
	return model.On(s.graph)
}

// fit makes and stores the model.
func (s *session) fit(ctx context.Context, o *outcome) (err error) {
	began, cpu := time.Now(), cpuSeconds()
	if o.counted == nil {
		if o.counted, err = s.makeCounted(ctx, o.dirs); err != nil {
			return err
		}
	}
	if s.cfg.Inductive.Epochs == 0 { // else every epoch has logged its own
		if err := s.logFit(began, cpu); err != nil {
			return err
		}
	}
	raw, err := o.counted.JSON()
	if err != nil {
		return err
	}
	o.result = s.fitted(o.counted)
	o.result.Epochs = s.tuned
	return s.write(answer.CountedFile, raw)
}

// evaluateCounted logs, of a counted model, an imported one or scores, the metrics of validation and of the final
// evaluation. Its report is nil without a final evaluation.
func (s *session) evaluateCounted(ctx context.Context, o *outcome) (err error) {
	began, cpu := time.Now(), cpuSeconds()
	var model answer.Model
	switch {
	case o.counted != nil:
		model = o.counted
	case o.scores != nil: // see Runner.ImportScores
		model = o.scores
	default: // see Runner.ImportModel
		model = o.model
	}
	judged := s.cfg.Judged(model, s.graph)
	step := max(1, s.tuned)
	isScored := o.scores == nil || o.scores.CoversValidation()
	if len(s.graph.Valid) > 0 && isScored && s.cfg.Inductive.Epochs == 0 { // else every epoch has logged its own
		if err := s.validateFit(ctx, judged); err != nil {
			return err
		}
	}
	final := s.final
	if final != nil && s.cfg.Eval.Fit {
		if final, err = s.withFittedCuts(ctx, judged, final, step); err != nil {
			return err
		}
	}
	if s.cfg.Eval.Calibrate {
		if o.by, err = s.calibrateFit(ctx, judged, step); err != nil {
			return err
		}
		if final != nil {
			if final, err = answer.WithProbabilities(final, o.by); err != nil {
				return err
			}
		}
	}
	if final != nil {
		o.result.Report, err = s.logFinal(ctx, final, model, int64(step), began, cpu)
	}
	return err
}
