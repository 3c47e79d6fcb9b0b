package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// reportFile is the artifact with the whole report of the final evaluation.
const reportFile = "evaluation/test.json"

// runLog is the part of a tracker's run that a session uses.
type runLog interface {
	ID() string
	Name() string
	ArtifactDir() string
	Flush(ctx context.Context) error
	LogMetrics(step int64, values map[string]float64) error
	LogRelations(results []tracker.RelationResult) error
	LogResults(step int64, results []tracker.EvaluationResult, metrics map[string]float64) error
	InBucket() bool
	Stopping() <-chan struct{}
	SetError(err error) error
	Publish(ctx context.Context, names ...string) error
	Withdraw(ctx context.Context, names ...string) error
	SetTags(tags map[string]string) error
	Finish(ctx context.Context, status tracker.Status) error
}

// session drives one run from its current state to its end.
type session struct {
	cfg      *config.Config
	graph    *kg.Graph
	run      runLog
	trainer  *sphere.Trainer
	tracker  *tracker.Tracker
	progress progress.Listener
	cuts     *eval.DefaultCuts // nil where they are not chosen by validation
	valid    *eval.Evaluator   // nil without validations
	final    *eval.Evaluator   // nil with eval.final: false
	stop     *stopper
	// validating shows the progress of the current validation.
	validating func(done, total int)
	began      time.Time
	validated  int       // last epoch whose validation is logged
	saved      int       // finished epochs in the state file, -1 if there is none
	states     []string  // files to resume from
	isShared   bool      // other machines may resume the run
	loss       *float64  // of the last epoch that this program trained; nil before
	end        int       // epoch after which the training ends early; 0: after train.epochs
	tuned      int       // epochs in which an inductive model was tuned
	through    int       // epochs that are logged after the saved state and need not be trained again
	deadline   time.Time // time after which the training ends at the next epoch that saves something; zero: never
	wasAway    bool      // the database was away when a state should have been saved
	modules    map[string][]byte
}

// newSession prepares everything that does not need the model, so that mistakes are found before the run starts.
func newSession(r *Runner, cfg *config.Config, g *kg.Graph) (*session, error) {
	s := &session{cfg: cfg, graph: g, tracker: r.Tracker, began: time.Now(), saved: -1, isShared: r.Claim.Job != 0,
		progress: cmp.Or(r.Progress, progress.Listener(progress.Silent{})), stop: newStopper(cfg.EarlyStop),
		states: []string{answer.StateFile, answer.BestFile}, modules: r.Environment.Modules}
	if cfg.Eval.Every > 0 {
		settings := cfg.ValidationSettings()
		settings.Progress = func(done, total int) { s.validating(done, total) }
		var err error
		if s.valid, err = eval.New(g, settings); err != nil {
			return nil, fmt.Errorf("%w; eval.every: 0 trains without validations", err)
		}
	}
	if cfg.Eval.Calibrate && len(g.Valid) == 0 {
		return nil, noValidation(cfg, "eval.calibrate", g)
	}
	if cfg.Eval.Final {
		settings := cfg.FinalSettings()
		settings.KeepRecords = true // worth needs them
		settings.Progress = s.reportEvaluation
		var err error
		if s.final, err = eval.New(g, settings); err != nil {
			return nil, fmt.Errorf("%w; eval.final: false trains without a final evaluation", err)
		}
		if cfg.Eval.Fit && len(g.Valid) == 0 {
			return nil, noValidation(cfg, "eval.fit", g)
		}
	}
	return s, nil
}

// noValidation returns the error for a key that is true and needs validation triples that the graph does not have.
func noValidation(cfg *config.Config, key string, g *kg.Graph) error {
	return cfg.Locate(&sphere.SettingError{Key: key, Value: true,
		Message: "must be false: graph " + g.Name + " has no validation triples"})
}

func (s *session) path(name string) string {
	return filepath.Join(s.run.ArtifactDir(), filepath.FromSlash(name))
}

// event sends an event with the fields that all events of the run have.
func (s *session) event(e progress.Event) {
	e.Time, e.RunID, e.RunName = time.Now(), s.run.ID(), s.run.Name()
	e.Epochs = cmp.Or(s.cfg.Inductive.Epochs, s.cfg.Train.Epochs)
	s.progress.Event(e)
}

// whereSlow shows the progress of a task on queries that begins now, if it takes long.
func (s *session) whereSlow(epoch int, message string) func(done, total int) {
	return progress.WhereSlow(func(_ bool, done, total int) {
		s.event(progress.Event{Event: progress.Evaluating, Epoch: epoch, Done: done, Total: total, Message: message})
	})
}

// fitSettings returns the config's settings, with progress.
func (s *session) fitSettings(epoch int) eval.FitSettings {
	settings := s.cfg.FitSettings()
	settings.Progress = s.whereSlow(epoch, progress.Fitting)
	return settings
}

func (s *session) reportEvaluation(done, total int) {
	s.event(progress.Event{Event: progress.Evaluating, Done: done, Total: total})
}

// drive trains, evaluates and ends the run as FINISHED, KILLED or FAILED.
func (s *session) drive(ctx context.Context, first progress.Kind) (result *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.finish(ctx, tracker.Failed)
			panic(p)
		}
	}()
	ctx, release := untilAsked(ctx, s.run)
	defer release()
	s.event(progress.Event{Event: first, Model: s.cfg.Model, Variant: s.cfg.Variant, Data: s.graph.Name,
		Steps: s.cfg.Train.Steps,
		Epoch: s.trainer.Done()})
	for _, w := range s.graph.Warnings {
		s.event(progress.Event{Event: progress.Note, Message: "warning: " + config.GraphWarning(w)})
	}
	result, err = s.walk(ctx, outcome{}, training...)
	if err == nil {
		return result, nil
	}
	id, name := s.run.ID(), s.run.Name()
	if interrupted(ctx, err) {
		saveErr := s.save(context.WithoutCancel(ctx))
		if saveErr == nil {
			err = &InterruptedError{RunID: id, RunName: name, Epoch: s.trainer.Done(),
				Epochs: s.cfg.Train.Epochs, Asked: errors.Is(context.Cause(ctx), errAsked)}
			_ = s.run.SetError(err) // it is returned in any case
			err = errors.Join(err, s.finish(ctx, tracker.Killed))
			s.event(progress.Event{Event: progress.RunEnded, Status: "KILLED", Epoch: s.trainer.Done(), Message: err.Error()})
			return nil, err
		}
		err = fmt.Errorf("interrupted, and the state could not be saved: %w", saveErr)
	}
	if Diverged(err) {
		err = errors.Join(err, s.run.SetTags(map[string]string{answer.TagDiverged: "true"}))
	}
	err = &FailedError{RunID: id, RunName: name, Err: err, StateEpoch: s.saved}
	_ = s.run.SetError(err) // it is returned in any case
	err = errors.Join(err, s.finish(ctx, tracker.Failed))
	s.event(progress.Event{Event: progress.RunEnded, Status: "FAILED", Epoch: s.trainer.Done(), Message: err.Error()})
	return nil, err
}

// finish ends the run even when ctx, which stops the work, has ended.
func (s *session) finish(ctx context.Context, status tracker.Status) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return s.run.Finish(ctx, status)
}

// warnIfSpooled turns the error of an unreachable database into a warning. The records are safe on this machine and the
// next start stores them, so the run has not failed.
func (s *session) warnIfSpooled(err error) error {
	if tracker.ErrorCode(err) == tracker.CodeSpooled {
		s.event(progress.Event{Event: progress.Note, Message: "warning: " + err.Error()})
		return nil
	}
	return err
}

// train runs epochs until the last one, or until early stopping ends it.
func (s *session) train(ctx context.Context) error {
	cpu := 0.0
	loop := s.loop()
	loop.More = func() bool {
		cpu = cpuSeconds()
		return s.done() < s.lastEpoch()
	}
	loop.Trained = func(stats sphere.EpochStats) error {
		s.loss = &stats.Loss
		metrics := map[string]float64{"loss": stats.Loss, "learning_rate": stats.LearningRate}
		maps.Copy(metrics, systemMetrics(stats, cpuSeconds()-cpu))
		if err := s.run.LogMetrics(int64(stats.Epoch), metrics); err != nil {
			return err
		}
		s.event(progress.Event{Event: progress.EpochDone, Epoch: stats.Epoch, Metrics: metrics})
		return nil
	}
	if s.stop.isEnabled() {
		loop.Stop, loop.Improved = &s.stop.EarlyStop, s.keepBest
	}
	loop.Ended = func(epoch int) error {
		if every := s.cfg.Train.SaveEvery; every > 0 && (epoch%every == 0 || epoch == s.cfg.Train.Epochs) {
			if err := s.saveOnTheWay(ctx); err != nil {
				return err
			}
		}
		s.endInTime(epoch)
		return nil
	}
	if err := loop.Run(ctx, s.trainer); err != nil {
		return err
	}
	if done := s.done(); s.stop.done() && done < s.cfg.Train.Epochs {
		s.event(progress.Event{Event: progress.Stopped, Epoch: done, Message: fmt.Sprintf(
			"stopped after epoch %d: the model after epoch %d is kept; its %s was best (%.4f)",
			done, s.stop.Epoch, s.stop.metric, s.stop.Best)})
	}
	return nil
}

// systemMetrics returns the times, speeds and sizes of one epoch. They differ from machine to machine.
func systemMetrics(stats sphere.EpochStats, cpu float64) map[string]float64 {
	m := map[string]float64{"system/epoch_seconds": stats.Seconds, "system/cpu_seconds": cpu}
	if stats.Seconds > 0 {
		m["system/steps_per_second"] = float64(stats.Steps) / stats.Seconds
	}
	if now, peak := memory(); now > 0 {
		m["system/rss_bytes"], m["system/rss_peak_bytes"] = now, peak
	}
	return m
}

// loop has when the session validates.
func (s *session) loop() sphere.Loop {
	l := sphere.Loop{Every: s.cfg.Eval.Every, Last: s.cfg.Train.Epochs, Validated: s.validated}
	if s.valid != nil {
		l.Validate = s.validate
	}
	return l
}

// validationDue reports whether an epoch is followed by a validation.
func (s *session) validationDue(epoch int) bool {
	l := s.loop()
	return l.Due(epoch)
}

// validate measures and logs the model, and returns the metric that early stopping watches, 0 without one.
func (s *session) validate(ctx context.Context, epoch int) (float64, error) {
	s.validating = s.whereSlow(epoch, progress.Validating)
	report, err := s.valid.Run(ctx, s.cfg.Judged(s.trainer.Model(), s.graph))
	if err != nil {
		return 0, err
	}
	metrics := report.LoggedMetrics()
	if err := logEvaluation(s.run, int64(epoch), metrics); err != nil {
		return 0, err
	}
	s.validated = epoch
	s.event(progress.Event{Event: progress.Validated, Epoch: epoch, Metrics: metrics})
	return metrics[s.stop.metric], nil
}

// keepBest saves the model of the best validation so far.
func (s *session) keepBest(epoch int) error {
	return s.trainer.Model().Save(s.path(answer.BestFile), map[string]string{"run_id": s.run.ID(),
		answer.BestEpochKey: strconv.Itoa(epoch)})
}

// finalModel returns the model of the last epoch or, with early stopping, that of the best validation.
func (s *session) finalModel() (*sphere.Model, error) {
	if s.stop.Epoch == 0 {
		return s.trainer.Model(), nil
	}
	model, _, err := sphere.Load(s.path(answer.BestFile))
	if err != nil {
		return nil, err
	}
	if !s.stop.done() { // otherwise the event of stopping has reported it
		s.event(progress.Event{Event: progress.Note, Message: fmt.Sprintf("the model after epoch %d is kept: %s was best (%.4f)",
			s.stop.Epoch, s.stop.metric, s.stop.Best)})
	}
	return model, s.run.SetTags(map[string]string{answer.TagBestEpoch: fmt.Sprint(s.stop.Epoch)})
}

// evaluate measures the model on the test split; by is nil without probabilities.
func (s *session) evaluate(ctx context.Context, model *sphere.Model, by *eval.Calibrated) (*eval.Report, error) {
	s.reportEvaluation(0, 1)
	began, cpu := time.Now(), cpuSeconds()
	final := s.final
	if s.cfg.Eval.Fit {
		var err error
		if final, err = s.withFittedCuts(ctx, s.cfg.Judged(model, s.graph), final, s.done()); err != nil {
			return nil, err
		}
	}
	if by != nil {
		var err error
		if final, err = answer.WithProbabilities(final, by); err != nil {
			return nil, err
		}
	}
	return s.logFinal(ctx, final, model, int64(s.done()), began, cpu)
}
