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

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Names of a run's artifacts.
const (
	modelFile  = "model.safetensors"    // the trained model
	stateFile  = "state.safetensors"    // the state to resume from; deleted when the run is finished
	bestFile   = "best.safetensors"     // the best model so far, with early stopping; deleted when the run is finished
	configFile = "config.yaml"          // the expanded config
	reportFile = "evaluation/test.json" // the whole report of the final evaluation
	// thresholdsFile has the fitted thresholds, with eval.fit: a list of sphere.Thresholds by relation id.
	thresholdsFile = "evaluation/thresholds.json"
	// calibrationFile has the probabilities of answers, with eval.calibrate: an eval.Calibrated.
	calibrationFile = "evaluation/calibration.json"
	// factFile has the probabilities of facts from both of their queries, an eval.Facts, once they were asked for.
	factFile = "evaluation/facts.json"
)

// runLog is what a session needs of a tracker's run.
type runLog interface {
	ID() string
	Name() string
	ArtifactDir() string
	Flush(ctx context.Context) error
	LogMetrics(step int64, values map[string]float64) error
	LogRelations(results []tracker.RelationResult) error
	LogResults(step int64, results []tracker.EvaluationResult, metrics map[string]float64) error
	InBucket() bool
	Publish(ctx context.Context, names ...string) error
	Withdraw(ctx context.Context, names ...string) error
	SetTags(tags map[string]string) error
	Finish(ctx context.Context, status tracker.Status) error
}

// session drives one run from its present state to its end.
type session struct {
	cfg      *Config
	graph    *kg.Graph
	run      runLog
	trainer  *sphere.Trainer
	progress Progress
	valid    *eval.Evaluator // nil without validations
	final    *eval.Evaluator // nil with eval.final: false
	stop     *stopper
	// validating is the progress of the validation that runs.
	validating func(done, total int)
	began      time.Time
	validated  int       // last epoch whose validation is logged
	saved      int       // finished epochs in the state file, -1 if there is none
	shared     bool      // other machines may resume the run
	loss       *float64  // of the last epoch that this program trained; nil before
	end        int       // epoch after which the training ends before train.epochs; 0: it does not
	through    int       // epochs that are logged beyond the saved state, where they need not be trained again
	deadline   time.Time // after which the training ends at the next epoch that saves something; zero: none
	away       bool      // the database was away when a state was to be saved
}

// newSession prepares everything that does not need the model, so that mistakes are found before the run starts.
func newSession(r *Runner, cfg *Config, g *kg.Graph) (*session, error) {
	s := &session{cfg: cfg, graph: g, progress: cmp.Or(r.Progress, Progress(Silent{})), stop: newStopper(cfg.EarlyStop),
		began: time.Now(), saved: -1, shared: r.lease != nil}
	if cfg.Eval.Every > 0 {
		settings := cfg.validationSettings()
		settings.Progress = func(done, total int) { s.validating(done, total) }
		var err error
		if s.valid, err = eval.New(g, settings); err != nil {
			return nil, fmt.Errorf("%w; eval.every: 0 trains without validations", err)
		}
	}
	if cfg.Eval.Calibrate && len(g.Valid) == 0 {
		return nil, cfg.invalid(check("eval.calibrate", true, false,
			"must be false: graph "+g.Name+" has no validation triples"))
	}
	if cfg.Eval.Final {
		settings := cfg.finalSettings()
		settings.Progress = s.evaluating
		var err error
		if s.final, err = eval.New(g, settings); err != nil {
			return nil, fmt.Errorf("%w; eval.final: false trains without a final evaluation", err)
		}
		if cfg.Eval.Fit && len(g.Valid) == 0 {
			return nil, cfg.invalid(check("eval.fit", true, false,
				"must be false: graph "+g.Name+" has no validation triples"))
		}
	}
	return s, nil
}

func (s *session) path(name string) string {
	return filepath.Join(s.run.ArtifactDir(), filepath.FromSlash(name))
}

// event sends an event with the fields that all events of the run have.
func (s *session) event(e Event) {
	e.Time, e.RunID, e.RunName, e.Epochs = time.Now(), s.run.ID(), s.run.Name(), s.cfg.Train.Epochs
	s.progress.Event(e)
}

// whereSlow shows a work on queries that begins now, where it takes long.
func (s *session) whereSlow(epoch int, message string) func(done, total int) {
	return whereSlow(func(_ bool, done, total int) {
		s.event(Event{Event: Evaluating, Epoch: epoch, Done: done, Total: total, Message: message})
	})
}

// fitSettings are those of the config, with progress.
func (s *session) fitSettings(epoch int) eval.FitSettings {
	settings := s.cfg.fitSettings()
	settings.Progress = s.whereSlow(epoch, fitting)
	return settings
}

func (s *session) evaluating(done, total int) {
	s.event(Event{Event: Evaluating, Done: done, Total: total})
}

// drive trains, evaluates and ends the run as FINISHED, KILLED or FAILED.
func (s *session) drive(ctx context.Context, first EventKind) (result *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.finish(ctx, tracker.Failed)
			panic(p)
		}
	}()
	s.event(Event{Event: first, Model: s.cfg.Model, Variant: s.cfg.Variant, Data: s.graph.Name,
		Steps: s.cfg.Train.Steps,
		Epoch: s.trainer.Done()})
	for _, w := range s.graph.Warnings {
		s.event(Event{Event: Note, Message: "warning: " + GraphWarning(w)})
	}
	result, err = s.work(ctx)
	if err == nil {
		return result, nil
	}
	id, name := s.run.ID(), s.run.Name()
	if interrupted(ctx, err) {
		saveErr := s.save(context.WithoutCancel(ctx))
		if saveErr == nil {
			err = &InterruptedError{RunID: id, RunName: name, Epoch: s.trainer.Done(), Epochs: s.cfg.Train.Epochs}
			err = errors.Join(err, s.finish(ctx, tracker.Killed))
			s.event(Event{Event: RunEnded, Status: "KILLED", Epoch: s.trainer.Done(), Message: err.Error()})
			return nil, err
		}
		err = fmt.Errorf("interrupted, and the state could not be saved: %w", saveErr)
	}
	if diverged(err) {
		err = errors.Join(err, s.run.SetTags(map[string]string{TagDiverged: "true"}))
	}
	err = errors.Join(&FailedError{RunID: id, RunName: name, Err: err, StateEpoch: s.saved},
		s.finish(ctx, tracker.Failed))
	s.event(Event{Event: RunEnded, Status: "FAILED", Epoch: s.trainer.Done(), Message: err.Error()})
	return nil, err
}

// finish ends the run even when ctx, which stops the work, has ended.
func (s *session) finish(ctx context.Context, status tracker.Status) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return s.run.Finish(ctx, status)
}

// warnIfSpooled turns the error of an unreachable database into a warning: the records are safe on this machine and the
// next start stores them, so the run has not failed.
func (s *session) warnIfSpooled(err error) error {
	if tracker.ErrorCode(err) == tracker.CodeSpooled {
		s.event(Event{Event: Note, Message: "warning: " + err.Error()})
		return nil
	}
	return err
}

func (s *session) work(ctx context.Context) (*Result, error) {
	if err := s.write(configFile, s.cfg.YAML()); err != nil {
		return nil, err
	}
	if s.saved < 0 {
		if err := s.keepGraph(); err != nil {
			return nil, err
		}
	}
	first := []string{configFile}
	if s.run.InBucket() {
		first = nil // another machine that resumes the run needs its graph's file, too
	}
	if err := s.publish(ctx, first...); err != nil {
		return nil, err
	}
	// The first state is saved at once, so that the run can be resumed from here on.
	if s.saved < 0 && s.cfg.Train.SaveEvery > 0 {
		if err := s.saveOnTheWay(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.train(ctx); err != nil {
		return nil, err
	}
	if err := s.logEnd(); err != nil {
		return nil, err
	}
	model, err := s.finalModel()
	if err != nil {
		return nil, err
	}
	result := &Result{RunID: s.run.ID(), RunName: s.run.Name(), Epochs: s.done(), Digest: model.Digest(),
		Graph: s.graph}
	if err := s.keepNames(); err != nil {
		return nil, err
	}
	metadata := map[string]string{"run_id": result.RunID, "graph": s.graph.Name, "graph_digest": s.graph.Digest(),
		"about/names": "row i of a tensor is id i in " + entitiesFile + " or " + relationsFile}
	if err := model.Save(s.path(modelFile), metadata); err != nil {
		return nil, err
	}
	if err := s.run.SetTags(map[string]string{TagDigest: result.Digest}); err != nil {
		return nil, err
	}
	if err := s.describeModel(result.Digest); err != nil {
		return nil, err
	}
	var by *eval.Calibrated
	if s.cfg.Eval.Calibrate {
		if by, err = s.calibrate(ctx, model); err != nil {
			return nil, err
		}
	}
	if s.final != nil {
		if result.Report, err = s.evaluate(ctx, model, by); err != nil {
			return nil, err
		}
	}
	if err := s.tidy(); err != nil {
		return nil, err
	}
	if err := s.publish(ctx); err != nil {
		return nil, err
	}
	// A run that is killed before its end is recorded can be resumed, and is whole afterwards.
	err = s.finish(ctx, tracker.Finished)
	stored := err == nil
	if err := s.warnIfSpooled(err); err != nil {
		return nil, err
	}
	if stored || !s.shared { // else another machine resumes the run if this one does not come back
		s.remove(ctx, stateFile, bestFile)
	}
	if s.loss != nil {
		if text := s.cfg.chanceWarning(*s.loss, s.graph.Entities.Len()); text != "" {
			s.note("warning: %s", text)
		}
	}
	if text := fewTestsWarning(len(s.graph.Test)); text != "" && result.Report != nil {
		s.note("warning: %s", text)
	}
	finished := Event{Event: RunFinished, Status: "FINISHED", Epoch: result.Epochs, Digest: result.Digest,
		Seconds: time.Since(s.began).Seconds()}
	if result.Report != nil {
		finished.Metrics = result.Report.LoggedMetrics()
	}
	s.event(finished)
	return result, nil
}

// train runs epochs until the last one, or until early stopping ends it.
func (s *session) train(ctx context.Context) error {
	// The interrupt may have come between an epoch and its validation.
	if done := s.trainer.Done(); s.validated < done && s.validationDue(done) {
		if err := s.validate(ctx, done); err != nil {
			return err
		}
	}
	for s.done() < s.lastEpoch() && !s.stop.done() {
		cpu := cpuSeconds()
		stats, err := s.trainer.Epoch(ctx)
		if err != nil {
			return err
		}
		epoch := s.trainer.Done()
		s.loss = &stats.Loss
		metrics := map[string]float64{"loss": stats.Loss, "learning_rate": stats.LearningRate}
		maps.Copy(metrics, systemMetrics(stats, cpuSeconds()-cpu))
		if err := s.run.LogMetrics(int64(epoch), metrics); err != nil {
			return err
		}
		s.event(Event{Event: EpochDone, Epoch: epoch, Metrics: metrics})
		if s.validationDue(epoch) {
			if err := s.validate(ctx, epoch); err != nil {
				return err
			}
		}
		if every := s.cfg.Train.SaveEvery; every > 0 && (epoch%every == 0 || epoch == s.cfg.Train.Epochs) {
			if err := s.saveOnTheWay(ctx); err != nil {
				return err
			}
		}
		s.endInTime(epoch)
	}
	if done := s.done(); s.stop.done() && done < s.cfg.Train.Epochs {
		s.event(Event{Event: Stopped, Epoch: done, Message: fmt.Sprintf(
			"stopped after epoch %d: the model after epoch %d is kept; its %s was best (%.4f)",
			done, s.stop.bestEpoch, s.stop.metric, s.stop.best)})
	}
	return nil
}

// systemMetrics are the times, speeds and sizes of one epoch; they differ from machine to machine.
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

// validationDue reports whether an epoch is followed by a validation.
func (s *session) validationDue(epoch int) bool {
	return s.valid != nil && epoch > 0 && (epoch%s.cfg.Eval.Every == 0 || epoch == s.cfg.Train.Epochs)
}

func (s *session) validate(ctx context.Context, epoch int) error {
	s.validating = s.whereSlow(epoch, validating)
	report, err := s.valid.Run(ctx, s.cfg.judged(s.trainer.Model(), s.graph))
	if err != nil {
		return err
	}
	metrics := report.LoggedMetrics()
	if err := logEvaluation(s.run, int64(epoch), metrics); err != nil {
		return err
	}
	s.validated = epoch
	s.event(Event{Event: Validated, Epoch: epoch, Metrics: metrics})
	if s.stop.enabled() && s.stop.observe(epoch, metrics[s.stop.metric]) {
		return s.trainer.Model().Save(s.path(bestFile), map[string]string{"run_id": s.run.ID(),
			bestEpochKey: strconv.Itoa(epoch)})
	}
	return nil
}

// finalModel is the model of the last epoch, or with early stopping that of the best validation.
func (s *session) finalModel() (*sphere.Model, error) {
	if s.stop.bestEpoch == 0 {
		return s.trainer.Model(), nil
	}
	model, _, err := sphere.Load(s.path(bestFile))
	if err != nil {
		return nil, err
	}
	if !s.stop.done() { // else the event of stopping has said it
		s.event(Event{Event: Note, Message: fmt.Sprintf("the model after epoch %d is kept: %s was best (%.4f)",
			s.stop.bestEpoch, s.stop.metric, s.stop.best)})
	}
	return model, s.run.SetTags(map[string]string{"best_epoch": fmt.Sprint(s.stop.bestEpoch)})
}

// evaluate measures the model on the test split; by is nil without probabilities.
func (s *session) evaluate(ctx context.Context, model *sphere.Model, by *eval.Calibrated) (*eval.Report, error) {
	s.evaluating(0, 1)
	began, cpu := time.Now(), cpuSeconds()
	final := s.final
	if s.cfg.Eval.Fit {
		thresholds, cuts, err := fitCuts(ctx, s.cfg.judged(model, s.graph), s.graph, s.fitSettings(s.done()))
		if err != nil {
			return nil, err
		}
		if err := s.keepThresholds(thresholds); err != nil {
			return nil, err
		}
		if final, err = final.With(cuts...); err != nil {
			return nil, err
		}
	}
	if by != nil {
		var err error
		if final, err = withProbabilities(final, by); err != nil {
			return nil, err
		}
	}
	return s.logFinal(ctx, final, model, int64(s.done()), began, cpu)
}
