package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// Artifacts of a stack: storedStacks. The models that it combines lie beside them. The state is there from the start,
// without what is fitted, and is deleted when the run is finished.
const (
	stackFile      = "stack.json"
	stackStateFile = "stack-state.json"
)

// storedStack says of what a stack is made.
type storedStack struct {
	Models       []stackedModel `json:"models"`
	Features     []string       `json:"features"`                // names of the weights
	TreeFeatures []string       `json:"tree_features,omitempty"` // names of the features of trees
	Fitted       stack.Fitted   `json:"fitted"`
}

// stackedModel is one model of a stack.
type stackedModel struct {
	RunID   string `json:"run_id"`
	RunName string `json:"run_name"`
	Digest  string `json:"checkpoint_digest"`
	File    string `json:"file"` // beside stackFile
}

// driveStack fits, stores and evaluates a stack as the run in progress, and ends it as FINISHED, KILLED or FAILED.
func (r *Runner) driveStack(ctx context.Context, cfg *Config, g *kg.Graph, run *tracker.Run,
	parts func(*session) (*storedStack, []stack.Model, error)) (result *Result, err error) {
	s := &session{cfg: cfg, graph: g, run: run, progress: Silent{}, began: time.Now(), saved: -1}
	if r.Progress != nil {
		s.progress = r.Progress
	}
	r.active.Store(s)
	defer r.active.Store(nil)
	defer func() {
		if p := recover(); p != nil {
			_ = s.finish(ctx, tracker.Failed)
			panic(p)
		}
	}()
	s.note("%s on %s: run %s, %s", sphere.Title(cfg.Model), g.Name, tracker.ShortID(run.ID()), run.Name())
	stored, models, err := parts(s)
	if err == nil && run.InBucket() { // so that another machine can resume it
		err = s.publish(ctx)
	}
	if err == nil {
		result, err = s.stack(ctx, stored, models)
	}
	if err == nil {
		return result, nil
	}
	status, what := tracker.Failed, "failed"
	if interrupted(ctx, err) {
		status, what = tracker.Killed, "was interrupted"
	}
	err = fmt.Errorf("%s %s: %w", runTitle(run.ID(), run.Name()), what, err)
	err = hint.With(err, resumeHint(run.ID(), isFile(s.path(stackStateFile)))...)
	err = errors.Join(err, s.finish(ctx, status))
	s.event(Event{Event: RunEnded, Status: string(status), Message: err.Error()})
	return nil, err
}

// resumeStack is Resume for a stack: what is not fitted yet is fitted, and the stack is evaluated again.
func (r *Runner) resumeStack(ctx context.Context, info tracker.RunInfo, l Layers) (*Result, error) {
	title, logged := runTitle(info.ID, info.Name), ReadLogged(info)
	cannot := func(err error) error { return fmt.Errorf("%s cannot be resumed: %w", title, err) }
	if !hasState(info) {
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
	g, err := OpenRunGraph(info, r.DataDirs)
	if err != nil {
		return nil, err
	}
	run, err := r.open(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	return r.driveStack(ctx, cfg, g, run, func(s *session) (*storedStack, []stack.Model, error) {
		if err := s.run.SetTags(resumedTags(info, r.Environment.GitHead)); err != nil {
			return nil, nil, err
		}
		for _, name := range []string{stackFile, stackStateFile} {
			stored, models, err := readStack(s.path(name))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return stored, models, err
			}
		}
		return nil, nil, fmt.Errorf("%s is gone", s.path(stackStateFile))
	})
}

// keepParts copies the models of a stack, which may be deleted where they are from.
func (s *session) keepParts(runs []*TrainedRun) (*storedStack, []stack.Model, error) {
	var stored storedStack
	var models []stack.Model
	var names []string
	for i, run := range runs {
		file := fmt.Sprintf("stack-%d.safetensors", i+1)
		dir, err := run.Info.ArtifactDir()
		if err != nil {
			return nil, nil, err
		}
		content, err := os.ReadFile(filepath.Join(dir, modelFile))
		if err != nil {
			return nil, nil, err
		}
		if err := s.write(file, content); err != nil {
			return nil, nil, err
		}
		names, models = append(names, run.Info.Name), append(models, run.Model)
		stored.Models = append(stored.Models, stackedModel{run.Info.ID, run.Info.Name, run.Model.Digest(), file})
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
	return &stored, models, s.writeStack(stackStateFile, &stored)
}

func (s *session) withTrees() bool { return sphere.HasTrees(s.cfg.Model) }

func (s *session) writeStack(name string, stored *storedStack) error {
	raw, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("weights of the stack: %w", err)
	}
	return s.write(name, append(raw, '\n'))
}

// stack fits, unless that was done before, stores and evaluates a stack, and finishes its run.
func (s *session) stack(ctx context.Context, stored *storedStack, models []stack.Model) (*Result, error) {
	var model *stack.Stack
	var err error
	if stored.Fitted.All.Head == nil {
		model, err = s.fitStack(ctx, stored, models)
	} else {
		model, err = stack.New(models, s.graph, stored.Fitted)
	}
	if err != nil {
		return nil, err
	}
	result := &Result{RunID: s.run.ID(), RunName: s.run.Name(), Epochs: 1, Digest: model.Digest(), Graph: s.graph}
	if err := s.run.SetTags(map[string]string{TagDigest: result.Digest}); err != nil {
		return nil, err
	}
	if result.Report, err = s.evaluateStack(ctx, model); err != nil {
		return nil, err
	}
	if err := s.publish(ctx); err != nil {
		return nil, err
	}
	if err := s.warnIfSpooled(s.finish(ctx, tracker.Finished)); err != nil {
		return nil, err
	}
	s.remove(ctx, stackStateFile)
	s.event(Event{Event: RunFinished, Status: string(tracker.Finished), Epoch: 1, Digest: result.Digest,
		Seconds: time.Since(s.began).Seconds(), Metrics: result.Report.LoggedMetrics()})
	return result, nil
}

func (s *session) note(format string, args ...any) {
	s.event(Event{Event: Note, Message: fmt.Sprintf(format, args...)})
}

// fitStack fits a stack and writes its artifact.
func (s *session) fitStack(ctx context.Context, stored *storedStack, models []stack.Model) (*stack.Stack, error) {
	began, cpu := time.Now(), cpuSeconds()
	model, err := stack.Fit(ctx, models, s.graph, stack.Settings{Threads: s.cfg.Threads, Progress: s.evaluating,
		WithTrees: s.withTrees(), DropItself: s.cfg.Eval.DropItself, Growing: func(done, total int) {
			s.event(Event{Event: Evaluating, Done: done, Total: total, Message: growing})
		}})
	if err != nil {
		return nil, err
	}
	if err := s.run.LogMetrics(1, map[string]float64{"system/epoch_seconds": time.Since(began).Seconds(),
		"system/cpu_seconds": cpuSeconds() - cpu}); err != nil {
		return nil, err
	}
	stored.Fitted = model.Fitted()
	if t := stored.Fitted.Trees; t != nil {
		s.note("  %d trees for head queries and %d for tail queries are borne out by the other half of validation",
			len(t.All.Head.Trees), len(t.All.Tail.Trees))
	}
	return model, s.writeStack(stackFile, stored)
}

// evaluateStack logs the metrics of validation, by crossed weights, and those of the final evaluation.
func (s *session) evaluateStack(ctx context.Context, model *stack.Stack) (*eval.Report, error) {
	began, cpu := time.Now(), cpuSeconds()
	crossed := s.cfg.judged(model.Crossed(), s.graph)
	validation := s.cfg.validationSettings()
	validation.Progress = s.whereSlow(1, validating)
	valid, err := eval.Run(ctx, crossed, s.graph, validation)
	if err != nil {
		return nil, err
	}
	if err := logEvaluation(s.run, 1, valid.LoggedMetrics()); err != nil {
		return nil, err
	}
	settings := s.cfg.finalSettings()
	settings.Progress = s.evaluating
	final, err := eval.New(s.graph, settings)
	if err != nil {
		return nil, err
	}
	thresholds, cuts, err := fitCuts(ctx, crossed, s.graph, s.fitSettings(1))
	if err != nil {
		return nil, err
	}
	if err := s.keepThresholds(thresholds); err != nil {
		return nil, err
	}
	if final, err = final.With(cuts...); err != nil {
		return nil, err
	}
	if len(s.graph.Valid) >= leastCalibrated {
		if final, err = s.calibrateStack(ctx, crossed, final); err != nil {
			return nil, err
		}
	}
	return s.logFinal(ctx, final, model, 1, began, cpu)
}

// calibrateStack logs and keeps probabilities, which crossed gives, and returns an evaluation that measures them, too.
func (s *session) calibrateStack(ctx context.Context, crossed eval.Model, e *eval.Evaluator) (*eval.Evaluator, error) {
	by, err := eval.Calibrate(ctx, crossed, s.graph, eval.CalibrateSettings{Threads: s.cfg.Threads,
		Sample: s.cfg.Eval.Sample, Progress: s.whereSlow(1, calibrating)})
	if err != nil {
		return nil, err
	}
	if err := s.keepCalibration(by); err != nil {
		return nil, err
	}
	if err := logEvaluation(s.run, 1, by.LoggedMetrics()); err != nil {
		return nil, err
	}
	return withProbabilities(e, by)
}

// openStack loads the model of a stack's run from its artifacts.
func openStack(info tracker.RunInfo, g *kg.Graph) (*stack.Stack, error) {
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	stored, models, err := readStack(filepath.Join(dir, stackFile))
	if err != nil {
		return nil, err
	}
	return stack.New(models, g, stored.Fitted)
}

// readStack reads what a stack is made of, and the models beside it.
func readStack(path string) (*storedStack, []stack.Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var stored storedStack
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	var models []stack.Model
	for _, of := range stored.Models {
		file := filepath.Join(filepath.Dir(path), filepath.Base(of.File))
		m, _, err := sphere.Load(file)
		if err != nil {
			return nil, nil, err
		}
		if m.Digest() != of.Digest {
			return nil, nil, fmt.Errorf("%s is not the model of run %s that the stack combines", file,
				tracker.ShortID(of.RunID))
		}
		models = append(models, m)
	}
	return &stored, models, nil
}
