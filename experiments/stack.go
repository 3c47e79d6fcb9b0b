package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// stackFile is the artifact of a stack: a storedStack. The models that it combines lie beside it.
const stackFile = "stack.json"

// ParamStack has the checkpoint digests of the models that a stack combines, separated by spaces. Other runs lack it.
const ParamStack = "stack"

// tagStackRuns has the ids of the runs whose models a stack combines.
const tagStackRuns = "stack_runs"

// storedStack says of what a stack is made.
type storedStack struct {
	Models   []stackedModel `json:"models"`
	Features []string       `json:"features"` // names of the weights
	Fitted   stack.Fitted   `json:"fitted"`
}

// stackedModel is one model of a stack.
type stackedModel struct {
	RunID   string `json:"run_id"`
	RunName string `json:"run_name"`
	Digest  string `json:"checkpoint_digest"`
	File    string `json:"file"` // beside stackFile
}

// StackOptions say how runs are combined.
type StackOptions struct {
	Name    string // of the new run; "": graph and models
	Threads int    // 0: all cores; never changes a number
}

// Stack combines the models of finished runs of one graph into a new run. The weights are fitted on the validation
// facts (package stack). The run keeps copies of the models. Its evaluation has the sizes, resamples and seed of the
// first run, fitted thresholds, and the sets of greatest expected F1. Validation queries are judged by weights that
// were fitted without them.
func (r *Runner) Stack(ctx context.Context, refs []string, o StackOptions) (*Result, error) {
	runs, err := r.openStacked(ctx, refs)
	if err != nil {
		return nil, err
	}
	simd, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	roots, err := sphere.Roots()
	if err != nil {
		return nil, err
	}
	cfg, g := stackConfig(runs, o), runs[0].Graph
	params, tags := r.params(cfg, g), r.tags(cfg, g, simd, roots)
	var ids, digests []string
	for _, run := range runs {
		ids, digests = append(ids, run.Info.ID), append(digests, run.Model.Digest())
	}
	maps.DeleteFunc(params, func(key, _ string) bool { return !ofStack(key) })
	params[ParamStack], tags[tagStackRuns] = strings.Join(digests, " "), strings.Join(ids, " ")
	params[ParamConfigHash] = stackHash(params)
	tags["config_hash"] = params[ParamConfigHash]
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.experiment(g), Name: cfg.runName(g),
		Params: params, Tags: tags})
	if err != nil {
		return nil, err
	}
	s := &session{cfg: cfg, graph: g, run: run, progress: Silent{}, began: time.Now(), saved: -1}
	if r.Progress != nil {
		s.progress = r.Progress
	}
	result, err := s.stack(ctx, runs)
	if err == nil {
		return result, nil
	}
	status := tracker.Failed
	if interrupted(ctx, err) {
		status = tracker.Killed
		err = fmt.Errorf("%s was interrupted; a stack keeps no state, so its runs have to be combined again: %w",
			runTitle(run.ID(), run.Name()), err)
	}
	err = errors.Join(err, s.finish(ctx, status))
	s.event(Event{Event: RunEnded, Status: string(status), Message: err.Error()})
	return nil, err
}

// openStacked opens runs that go together.
func (r *Runner) openStacked(ctx context.Context, refs []string) ([]*TrainedRun, error) {
	if len(refs) < 2 {
		return nil, fmt.Errorf("a stack combines two runs or more, not %d", len(refs))
	}
	var runs []*TrainedRun
	for _, ref := range refs {
		run, err := OpenRun(ctx, r.Tracker, ref, r.DataDirs)
		if err != nil {
			return nil, err
		}
		title := runTitle(run.Info.ID, run.Info.Name)
		if _, trained := run.Model.(*sphere.Model); !trained {
			return nil, fmt.Errorf("%s is a stack itself; a stack combines trained models", title)
		}
		for _, other := range runs {
			if other.Model.Digest() == run.Model.Digest() {
				return nil, fmt.Errorf("%s and %s have the same model", runTitle(other.Info.ID, other.Info.Name), title)
			}
			if other.Graph.Digest() != run.Graph.Digest() {
				return nil, fmt.Errorf("%s is on graph %s and %s on %s; a stack combines runs on one graph",
					runTitle(other.Info.ID, other.Info.Name), other.Graph.Name, title, run.Graph.Name)
			}
		}
		runs = append(runs, run)
	}
	if g := runs[0].Graph; len(g.Valid) == 0 || len(g.Test) == 0 {
		return nil, fmt.Errorf("graph %s has no validation or no test facts; the weights of a stack are fitted on the "+
			"first and evaluated on the others", g.Name)
	}
	return runs, nil
}

// stackConfig is the part of a config that a stack has.
func stackConfig(runs []*TrainedRun, o StackOptions) *Config {
	first, c := runs[0].Config, DefaultConfig()
	var models []string
	for _, run := range runs {
		models = append(models, run.Config.Model)
	}
	c.Data, c.Split, c.Seed, c.Variant = first.Data, first.Split, first.Seed, sphere.Clean
	c.Model, c.Name, c.Threads = strings.Join(models, sphere.StackedBy), o.Name, o.Threads
	c.Eval.TopL, c.Eval.Bootstrap, c.Eval.Fit = first.Eval.TopL, first.Eval.Bootstrap, true
	c.Train.Epochs = 1 // the fit
	return c
}

// ofStack reports whether a param says something about a stack: it has no training of its own.
func ofStack(key string) bool {
	section, _, nested := strings.Cut(key, ".")
	if nested {
		return section == "split" || key == "eval.top_l" || key == "eval.bootstrap" || key == "eval.fit"
	}
	return slices.Contains([]string{"data", "model", "variant", "seed", "threads", "name", ParamGraph, ParamGraphDigest,
		ParamNumerics}, key)
}

// stackHash identifies what decides the numbers of a stack on a graph: the models and the evaluation.
func stackHash(params map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if InIdentity(key) && key != ParamGraphDigest && key != ParamNumerics {
			fmt.Fprintf(h, "%q=%q\n", key, params[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stack fits, stores and evaluates a stack, and finishes its run.
func (s *session) stack(ctx context.Context, runs []*TrainedRun) (*Result, error) {
	s.note("%s on %s: run %s, %s", sphere.Title(s.cfg.Model), s.graph.Name, tracker.ShortID(s.run.ID()), s.run.Name())
	began, cpu := time.Now(), cpuSeconds()
	var models []stack.Model
	for _, run := range runs {
		models = append(models, run.Model)
	}
	model, err := stack.Fit(ctx, models, s.graph, stack.Settings{Threads: s.cfg.Threads, Progress: s.evaluating})
	if err != nil {
		return nil, err
	}
	if err := s.run.LogMetrics(1, map[string]float64{"system/epoch_seconds": time.Since(began).Seconds(),
		"system/cpu_seconds": cpuSeconds() - cpu}); err != nil {
		return nil, err
	}
	if err := s.keepStack(model, runs); err != nil {
		return nil, err
	}
	result := &Result{RunID: s.run.ID(), RunName: s.run.Name(), Epochs: 1, Digest: model.Digest(), Graph: s.graph}
	if err := s.run.SetTags(map[string]string{TagDigest: result.Digest}); err != nil {
		return nil, err
	}
	if result.Report, err = s.evaluateStack(ctx, model); err != nil {
		return nil, err
	}
	if err := s.warnIfSpooled(s.finish(ctx, tracker.Finished)); err != nil {
		return nil, err
	}
	s.event(Event{Event: RunFinished, Status: string(tracker.Finished), Epoch: 1, Digest: result.Digest,
		Seconds: time.Since(s.began).Seconds(), Metrics: result.Report.LoggedMetrics()})
	return result, nil
}

func (s *session) note(format string, args ...any) {
	s.event(Event{Event: Note, Message: fmt.Sprintf(format, args...)})
}

// keepStack writes the artifacts of a stack, with copies of its models, which may be deleted where they are from.
func (s *session) keepStack(model *stack.Stack, runs []*TrainedRun) error {
	stored := storedStack{Fitted: model.Fitted()}
	var names []string
	for i, run := range runs {
		file := fmt.Sprintf("stack-%d.safetensors", i+1)
		dir, err := run.Info.ArtifactDir()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, modelFile))
		if err != nil {
			return err
		}
		if err := s.write(file, content); err != nil {
			return err
		}
		names = append(names, run.Info.Name)
		stored.Models = append(stored.Models, stackedModel{run.Info.ID, run.Info.Name, run.Model.Digest(), file})
	}
	stored.Features = stack.FeatureNames(names)
	raw, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("weights of the stack: %w", err)
	}
	if err := s.write(stackFile, append(raw, '\n')); err != nil {
		return err
	}
	if err := s.keepGraph(); err != nil {
		return err
	}
	return s.keepNames()
}

// evaluateStack logs the metrics of validation, by crossed weights, and those of the final evaluation.
func (s *session) evaluateStack(ctx context.Context, model *stack.Stack) (*eval.Report, error) {
	began, cpu := time.Now(), cpuSeconds()
	valid, err := eval.Run(ctx, model.Crossed(), s.graph, s.cfg.validationSettings())
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
	by, err := eval.Calibrate(ctx, model.Crossed(), s.graph, eval.CalibrateSettings{Threads: s.cfg.Threads})
	if err != nil {
		return nil, err
	}
	if err := s.keepCalibration(by); err != nil {
		return nil, err
	}
	thresholds, cuts, err := fitCuts(ctx, model.Crossed(), s.graph, s.cfg.Threads)
	if err != nil {
		return nil, err
	}
	if err := s.keepThresholds(thresholds); err != nil {
		return nil, err
	}
	if final, err = final.With(append(cuts, eval.ExpectedCuts(by)...)...); err != nil {
		return nil, err
	}
	return s.logFinal(ctx, final, model, 1, began, cpu)
}

// openStack loads the model of a stack's run from its artifacts.
func openStack(info tracker.RunInfo, g *kg.Graph) (*stack.Stack, error) {
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(dir, stackFile))
	if err != nil {
		return nil, err
	}
	var stored storedStack
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, stackFile), err)
	}
	var models []stack.Model
	for _, of := range stored.Models {
		file := filepath.Join(dir, filepath.Base(of.File))
		m, _, err := sphere.Load(file)
		if err != nil {
			return nil, err
		}
		if m.Digest() != of.Digest {
			return nil, fmt.Errorf("%s is not the model of run %s that the stack combines", file,
				tracker.ShortID(of.RunID))
		}
		models = append(models, m)
	}
	return stack.New(models, g, stored.Fitted)
}
