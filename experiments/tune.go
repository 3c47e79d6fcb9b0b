package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
)

// headQueries are the validation queries that decide how an inductive model asks for heads.
const headQueries = 250

// What no config key says of a tuning: it is as for the public weights.
const (
	tuningTemperature = 1
	tuningDecay       = .01
)

const mrrKey = "valid/mrr"

// makeInductive opens the weights of the config's model, decides how it asks for heads, and tunes it.
func (s *session) makeInductive(ctx context.Context, dirs []string) (*inductive.Model, error) {
	network, err := networkOf(s.cfg.Model, dirs)
	if err != nil {
		return nil, err
	}
	model, err := network.On(s.cfg.Model, s.graph)
	if err != nil {
		return nil, err
	}
	if model, err = s.chooseHeads(ctx, model); err != nil {
		return nil, err
	}
	if s.cfg.Inductive.Epochs == 0 {
		return model, nil
	}
	return s.tune(ctx, network, model)
}

// networkOf returns the network of a model, whose public weights are in one of the folders.
func networkOf(model string, dirs []string) (*inductive.Network, error) {
	if model == sphere.OwnInductive {
		return inductive.Own()
	}
	path, err := dataset.FindCheckpoint(model, dirs...)
	if err != nil {
		return nil, err
	}
	return inductive.Open(path)
}

// chooseHeads returns the model that asks for heads as the config says, and says in the tracker how.
func (s *session) chooseHeads(ctx context.Context, model *inductive.Model) (*inductive.Model, error) {
	best := inductive.Heads(s.cfg.Inductive.Heads)
	if best == config.BestHeads {
		var err error
		if best, err = s.bestHeads(ctx, model); err != nil {
			return nil, err
		}
	}
	return model.WithHeads(best), s.run.SetTags(map[string]string{answer.TagHeads: string(best)})
}

// bestHeads is the way of the best MRR on validation queries.
func (s *session) bestHeads(ctx context.Context, model *inductive.Model) (inductive.Heads, error) {
	best, most := inductive.Inverse, 0.
	if len(s.graph.Valid) == 0 {
		return best, nil
	}
	settings := s.cfg.ValidationSettings()
	if settings.Sample == 0 || settings.Sample > headQueries {
		settings.Sample = headQueries
	}
	for _, h := range inductive.AllHeads() {
		report, err := s.validateTuned(ctx, headsOnly{model.WithHeads(h)}, settings)
		if err != nil {
			return "", err
		}
		if mrr := report.LoggedMetrics()[mrrKey]; mrr > most {
			best, most = h, mrr
		}
	}
	return best, nil
}

// headsOnly does not answer tail queries, which all ways to ask for heads answer alike.
type headsOnly struct{ *inductive.Model }

// Distances implements eval.Model; those of tail queries are 0.
func (m headsOnly) Distances(queries []kg.Query, dst []float32) {
	if !slices.ContainsFunc(queries, func(q kg.Query) bool { return q.Side != kg.HeadSide }) {
		m.Model.Distances(queries, dst) // together they share work
		return
	}
	n := m.Entities()
	for i, q := range queries {
		row := dst[i*n:][:n]
		clear(row)
		if q.Side == kg.HeadSide {
			m.DistancesAt(q, nil, row)
		}
	}
}

// validateTuned evaluates a model on validation queries.
func (s *session) validateTuned(ctx context.Context, model eval.Model, settings eval.Settings) (*eval.Report, error) {
	settings.Progress = s.whereSlow(0, progress.Validating)
	return eval.Run(ctx, s.cfg.Judged(model, s.graph), s.graph, settings)
}

// tuning is the state of a tuning between two steps.
type tuning struct {
	Epoch int             `json:"epoch"` // finished
	Open  bool            `json:"open"`  // Epoch is not validated yet
	Loss  float64         `json:"loss"`  // so far, of the next one
	Best  float64         `json:"best"`  // valid/mrr of the weights of Kept
	Kept  int             `json:"kept"`  // epoch
	State json.RawMessage `json:"state"`
}

// tune changes the weights for the graph, from where an interrupted tuning was. It keeps the best ones.
func (s *session) tune(ctx context.Context, network *inductive.Network, model *inductive.Model) (*inductive.Model,
	error) {
	c := s.cfg.Inductive
	graphs := []*kg.Graph{s.graph}
	tuner, err := network.NewTuner(graphs, model.Heads(), inductive.Tuning{Batch: c.Batch, Negatives: c.Negatives,
		Temperature: tuningTemperature, LearningRate: c.LearningRate, Decay: tuningDecay, Seed: s.cfg.Seed,
		Threads: s.cfg.Threads})
	if err != nil {
		return nil, err
	}
	now, best, err := s.resumeTuning(tuner, model)
	if err != nil {
		return nil, err
	}
	if tuner.Done() == 0 {
		if now.Best, err = s.logTuned(ctx, model, 0); err != nil {
			return nil, err
		}
	}
	for now.Open || now.Epoch < c.Epochs && (len(s.graph.Valid) == 0 || now.Epoch-now.Kept < s.cfg.EarlyStop.Patience) {
		if !now.Open {
			if err := s.tuneEpoch(ctx, tuner, now); err != nil {
				if interrupted(ctx, err) && tuner.Done() > 0 {
					err = errors.Join(err, s.saveTuning(context.WithoutCancel(ctx), tuner, now, nil))
				}
				return nil, err
			}
			// The validation may take longer than the epoch.
			if err := s.saveTuning(context.WithoutCancel(ctx), tuner, now, nil); err != nil {
				return nil, err
			}
		}
		network, err := tuner.Network()
		if err != nil {
			return nil, err
		}
		tuned, err := network.On(s.cfg.Model, s.graph)
		if err != nil {
			return nil, err
		}
		tuned = tuned.WithHeads(model.Heads())
		mrr, err := s.logTuned(ctx, tuned, now.Epoch)
		if err != nil {
			return nil, err
		}
		if mrr > now.Best || len(s.graph.Valid) == 0 {
			best, now.Best, now.Kept = tuned, mrr, now.Epoch
		}
		now.Open = false
		if err := s.saveTuning(ctx, tuner, now, best); err != nil {
			return nil, err
		}
	}
	s.tuned = now.Epoch
	s.event(progress.Event{Event: progress.Note, Message: fmt.Sprintf("the weights after epoch %d of %d are kept: %s was "+
		"best (%.4f)", now.Kept, now.Epoch, mrrKey, now.Best)})
	return best, s.run.SetTags(map[string]string{answer.TagBestEpoch: fmt.Sprint(now.Kept)})
}

// tuneEpoch makes the steps of an epoch that are left, and logs it.
func (s *session) tuneEpoch(ctx context.Context, tuner *inductive.Tuner, now *tuning) error {
	began, cpu := time.Now(), cpuSeconds()
	epoch, steps := now.Epoch+1, s.cfg.Inductive.Steps
	show := s.whereSlow(epoch, progress.Tuning)
	first := tuner.Done() - now.Epoch*steps
	for i := first; i < steps; i++ {
		one, err := tuner.Step(ctx)
		if err != nil {
			return err
		}
		now.Loss += one / float64(steps)
		show(i+1, steps)
	}
	loss := now.Loss
	now.Epoch, now.Loss, now.Open = epoch, 0, true
	metrics := map[string]float64{"loss": loss, "system/epoch_seconds": time.Since(began).Seconds(),
		"system/cpu_seconds": cpuSeconds() - cpu}
	if seconds := metrics["system/epoch_seconds"]; seconds > 0 {
		metrics["system/steps_per_second"] = float64(steps-first) / seconds
	}
	s.loss = &loss
	if err := s.run.LogMetrics(int64(epoch), metrics); err != nil {
		return err
	}
	s.event(progress.Event{Event: progress.EpochDone, Epoch: epoch, Metrics: metrics})
	return nil
}

// logTuned logs and returns the MRR after an epoch; 0 is before the first.
func (s *session) logTuned(ctx context.Context, model *inductive.Model, epoch int) (float64, error) {
	if len(s.graph.Valid) == 0 {
		return 0, nil
	}
	report, err := s.validateTuned(ctx, model, s.cfg.ValidationSettings())
	if err != nil {
		return 0, err
	}
	metrics := report.LoggedMetrics()
	s.event(progress.Event{Event: progress.Validated, Epoch: epoch, Metrics: metrics})
	return metrics[mrrKey], logEvaluation(s.run, int64(epoch), metrics)
}

// saveTuning keeps what resumeTuning reads: first the best model, without which a state is of no use; nil has not
// changed.
func (s *session) saveTuning(ctx context.Context, tuner *inductive.Tuner, now *tuning, best *inductive.Model) error {
	if s.isShared {
		if err := s.run.Flush(ctx); err != nil {
			return err
		}
	}
	if best != nil && now.Kept == now.Epoch {
		raw, err := best.JSON()
		if err != nil {
			return err
		}
		if err := s.write(answer.TunedFile, raw); err != nil {
			return err
		}
	}
	var err error
	if now.State, err = tuner.State(); err != nil {
		return err
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if err := s.write(answer.TuningFile, raw); err != nil {
		return fmt.Errorf("cannot save the state of the tuning: %w", err)
	}
	if s.run.InBucket() {
		names := []string{answer.TuningFile}
		if now.Kept > 0 {
			names = []string{answer.TunedFile, answer.TuningFile}
		}
		if err := s.run.Publish(ctx, names...); err != nil {
			return err
		}
	}
	if !now.Open {
		s.event(progress.Event{Event: progress.Saved, Epoch: now.Epoch, Artifact: answer.TuningFile})
	}
	return nil
}

// resumeTuning returns where an interrupted tuning of the run was, and its best model so far: at the start, model.
func (s *session) resumeTuning(tuner *inductive.Tuner, model *inductive.Model) (*tuning, *inductive.Model, error) {
	now := &tuning{}
	raw, err := os.ReadFile(s.path(answer.TuningFile))
	if errors.Is(err, fs.ErrNotExist) {
		return now, model, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err = json.Unmarshal(raw, now); err == nil {
		err = tuner.Restore(now.State)
	}
	ahead := tuner.Done() - now.Epoch*s.cfg.Inductive.Steps
	if err == nil && (ahead < 0 || ahead >= s.cfg.Inductive.Steps) {
		err = fmt.Errorf("%d steps do not fit %d epochs", tuner.Done(), now.Epoch)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s is damaged: %w; remove it to tune from the start", s.path(answer.TuningFile), err)
	}
	if now.Kept == 0 {
		return now, model, nil
	}
	best, err := inductive.Load(s.path(answer.TunedFile), s.graph)
	return now, best, err
}
