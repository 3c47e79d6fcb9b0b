package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// resumable are the config keys that may change when a run is resumed: none of them changes a number.
var resumable = []string{"threads", "tracker.uri"}

// Resume takes an interrupted, killed or failed run on from its last saved state; the result is bit-identical to that of
// a run that was never stopped. The config is the run's own. Layers may set threads and the tracker; anything else must
// agree with the run.
func (r *Runner) Resume(ctx context.Context, ref string, l Layers) (*Result, error) {
	info, err := r.Tracker.FindRun(ctx, ref)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("run %s (%s)", shortID(info.ID), info.Name)
	if info.Status == string(tracker.Finished) {
		return nil, fmt.Errorf("%s is finished; there is nothing to resume", title)
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	cfg, err := runConfig(dir, l)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w", title, err)
	}
	state := filepath.Join(dir, stateFile)
	if _, err := os.Stat(state); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s cannot be resumed: it has no saved state (%s); train it again", title, state)
		}
		return nil, fmt.Errorf("%s cannot be resumed: %w", title, err)
	}
	g, err := openRunGraph(info, r.DataDirs)
	if err != nil {
		return nil, err
	}
	if version := info.Params["numerics_version"]; version != strconv.Itoa(sphere.NumericsVersion) {
		return nil, fmt.Errorf("%s cannot be resumed: it was made with numerics version %s and this program has version %d; use the program of that version", title, version, sphere.NumericsVersion)
	}
	if err := cfg.validateOn(g); err != nil {
		return nil, err
	}
	s, err := newSession(r, cfg, g)
	if err != nil {
		return nil, err
	}
	// From here on the run is ours: nobody else writes its state while it is read.
	run, err := r.Tracker.ResumeRun(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	s.run = run
	if err := s.restore(ctx, r.Tracker, info, r.Environment.GitHead); err != nil {
		before := tracker.Status(info.Status)
		if before == tracker.Running {
			before = tracker.Failed // its program died
		}
		return nil, errors.Join(fmt.Errorf("%s cannot be resumed: %w", title, err), s.finish(ctx, before))
	}
	defer s.trainer.Close()
	return r.drive(ctx, s, RunResumed)
}

// gitHeads lists the commits of the programs that have worked on a run, the first one first, once another one than the
// first goes on with it; "" before.
func gitHeads(tags map[string]string, head string) string {
	heads := cmp.Or(tags[tagGitHeads], tags[tagGitHead], "unknown")
	if head != "" && !slices.Contains(strings.Fields(heads), head) {
		heads = strings.TrimSpace(heads + " " + head)
	}
	if !strings.Contains(heads, " ") {
		return ""
	}
	return heads
}

// restore loads the saved state and marks the run as resumed by the program of commit head.
func (s *session) restore(ctx context.Context, t *tracker.Tracker, info tracker.RunInfo, head string) (err error) {
	s.trainer, err = sphere.ResumeTrainer(s.path(stateFile), s.graph, s.cfg.Training())
	if err != nil {
		return err
	}
	s.saved = s.trainer.Done()
	if err = s.tidy(); err == nil {
		err = s.recall(ctx, t)
	}
	if err == nil {
		times, _ := strconv.Atoi(info.Tags[tagResumed]) // absent means never
		tags := map[string]string{tagResumed: strconv.Itoa(times + 1)}
		if heads := gitHeads(info.Tags, head); heads != "" {
			tags[tagGitHeads] = heads
		}
		err = s.run.SetTags(tags)
	}
	if err != nil {
		s.trainer.Close()
	}
	return err
}

// recall learns from the logged validations which one was the last, and what early stopping knew.
func (s *session) recall(ctx context.Context, t *tracker.Tracker) error {
	if s.valid == nil {
		return nil
	}
	metric := s.stop.metric
	if metric == "" {
		metric = "valid/head_f1" // every validation logs it
	}
	points, err := t.History(ctx, s.run.ID(), metric)
	if err != nil {
		return err
	}
	slices.SortStableFunc(points, func(a, b tracker.Point) int { return cmp.Compare(a.Step, b.Step) })
	for _, p := range points {
		if p.Step > int64(s.trainer.Done()) {
			break // of epochs that will be repeated
		}
		s.validated = int(p.Step)
		if s.stop.enabled() {
			s.stop.observe(int(p.Step), p.Value)
		}
	}
	return nil
}

// runConfig is the config a run was started with, with the layers over it as far as they change no number.
func runConfig(dir string, l Layers) (*Config, error) {
	own, err := LoadConfig(Layers{Config: filepath.Join(dir, configFile)})
	if err != nil {
		return nil, err
	}
	if l.Config != "" {
		return nil, fmt.Errorf("its config is its own; leave %s out", l.Config)
	}
	asked := *own
	asked.origin = map[string]Origin{}
	if err := asked.applyEnv(l.Env); err != nil {
		return nil, err
	}
	if err := asked.applySet(l.Set); err != nil {
		return nil, err
	}
	if err := asked.applyFlags(l.Flags); err != nil {
		return nil, err
	}
	before, after := own.Flatten(), asked.Flatten()
	for _, key := range Keys() {
		if before[key] != after[key] && !slices.Contains(resumable, key) {
			return nil, &ConfigError{Origin: asked.origin[key], Key: key,
				Message: fmt.Sprintf("the run was started with %s = %s; start a new run for %s", key, before[key], after[key])}
		}
	}
	return &asked, asked.Validate()
}

// OpenRun loads a finished run: its graph, its model and its config.
func OpenRun(ctx context.Context, t *tracker.Tracker, ref string, dirs []string) (*TrainedRun, error) {
	info, err := t.FindRun(ctx, ref)
	if err != nil {
		return nil, err
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, modelFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		hint := "its checkpoint was deleted"
		if info.Tags[tracker.TagImported] != "" {
			hint = "it was imported without its checkpoint; train its config again"
		} else if info.Status != string(tracker.Finished) {
			hint = "its status is " + strings.ToUpper(info.Status) + "; `spherelab train --resume " + shortID(info.ID) + "` finishes it"
		}
		return nil, fmt.Errorf("run %s (%s) has no trained model: %s", shortID(info.ID), info.Name, hint)
	}
	g, err := openRunGraph(info, dirs)
	if err != nil {
		return nil, err
	}
	model, _, err := sphere.Load(file)
	if err != nil {
		return nil, err
	}
	if model.Entities() != g.Entities.Len() {
		return nil, fmt.Errorf("run %s (%s): its model has %d entities and its graph %d", shortID(info.ID), info.Name, model.Entities(), g.Entities.Len())
	}
	cfg, err := LoadConfig(Layers{Config: filepath.Join(dir, configFile)})
	if err != nil {
		return nil, err
	}
	return &TrainedRun{Info: info, Graph: g, Model: model, Config: cfg}, nil
}

// TrainedRun is a finished run, loaded.
type TrainedRun struct {
	Info   tracker.RunInfo
	Graph  *kg.Graph
	Model  *sphere.Model
	Config *Config
}

// Criterion is the one that the run's config chooses, else the model's own.
func (r *TrainedRun) Criterion() sphere.Criterion {
	if r.Config.Eval.Criterion != "default" {
		return sphere.Criterion(r.Config.Eval.Criterion)
	}
	return r.Model.DefaultCriterion()
}
