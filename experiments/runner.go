// Package experiments turns configs into logged runs: it trains and evaluates models with every number in the tracker,
// resumes interrupted runs, stacks trained ones and trains a run again to compare it.
package experiments

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Runner trains configs as logged runs.
type Runner struct {
	Tracker     *tracker.Tracker
	DataDirs    []string          // where graphs are searched by name, in this order
	Environment Environment       // logged with every run
	Progress    progress.Listener // nil: silent
	// TimeLimit ends a training after this time, at the next epoch that saves something: a validation if the best model
	// is kept, otherwise a state. 0: no limit. TrainAll shares it between its runs.
	TimeLimit time.Duration

	Parent string        // id of the group of runs, such as a sweep, that a new run belongs to; "" without one
	Claim  tracker.Claim // of the job whose run is trained; zero without a queue

	active atomic.Pointer[session] // the run in progress
}

// Abandon ends the run in progress as KILLED without waiting for its work, its state or the database. It only writes a
// record on this machine, which the next program stores when it starts. This program must end afterwards. The hints are
// how to resume the run if it has a saved state.
func (r *Runner) Abandon() []hint.Hint {
	s := r.active.Load()
	if s == nil {
		return nil
	}
	ended, end := context.WithCancel(context.Background())
	end() // without waiting for the database
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.run.Finish(ended, tracker.Killed) // without the record the run is found dead later
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
	states := []string{answer.StateFile, answer.StackStateFile, answer.CountedStateFile}
	saved := slices.ContainsFunc(states, func(name string) bool { return filekind.IsFile(s.path(name)) })
	return answer.ResumeHint(s.run.ID(), saved)
}

// drive runs a session as the run in progress.
func (r *Runner) drive(ctx context.Context, s *session, first progress.Kind) (*Result, error) {
	r.active.Store(s)
	defer r.active.Store(nil)
	return s.drive(ctx, first)
}

// Result is a finished run.
type Result struct {
	RunID, RunName string
	Digest         string // of the checkpoint, over its tensors
	Epochs         int    // trained; 0 for a run without epochs
	Report         *eval.Report
	Graph          *kg.Graph
}

// Train runs cfg to its end as a new run. Settings that the graph does not allow are refused before the run is started.
// Train returns *InterruptedError when ctx ended and the state was saved, *FailedError when the run failed.
func (r *Runner) Train(ctx context.Context, cfg config.Checked) (*Result, error) {
	g, err := cfg.Config().Graph(r.DataDirs)
	if err != nil {
		return nil, err
	}
	return r.TrainOn(ctx, cfg, g)
}

// TrainOn is Train with a graph that is loaded already. It must be the one that the config names: Resume loads it from
// there.
func (r *Runner) TrainOn(ctx context.Context, cfg config.Checked, g *kg.Graph) (*Result, error) {
	return r.trainOn(ctx, cfg, g, 0)
}

// kernels returns the SIMD path and the way to compute roots that this program uses.
func kernels() (simd, roots string, err error) {
	if simd, err = sphere.SIMDPath(); err == nil {
		roots, err = sphere.Roots()
	}
	return simd, roots, err
}

// trainOn is TrainOn, but ends the training after an epoch; 0: after the config's last.
func (r *Runner) trainOn(ctx context.Context, cfg config.Checked, g *kg.Graph, end int) (*Result, error) {
	deadline := r.deadline()
	simd, roots, err := kernels()
	if err != nil {
		return nil, err
	}
	settled, err := r.settle(ctx, cfg, g)
	if err != nil {
		return nil, err
	}
	if sphere.IsUntrained(settled.Model) {
		return r.count(ctx, settled, g, simd, roots, nil)
	}
	s, err := newSession(r, settled, g)
	if err != nil {
		return nil, err
	}
	model, err := sphere.New(settled.Settings(), g, settled.Seed)
	if err == nil {
		s.trainer, err = sphere.NewTrainer(model, g, settled.Training())
	}
	if err != nil {
		return nil, settled.Locate(err)
	}
	defer s.trainer.Close()
	s.end, s.deadline = end, deadline
	settled.Train.Steps = s.trainer.Settings().Steps

	spec := tracker.RunSpec{Experiment: settled.ExperimentIn(g), Name: settled.RunName(g), Params: r.params(settled, g),
		Tags: r.tags(settled, g, simd, roots, end), Claim: r.Claim, Inputs: datasets(g)}
	run, err := r.Tracker.StartRun(ctx, spec)
	if err != nil {
		return nil, err
	}
	s.run, s.isShared = run, s.isShared || run.InBucket()
	return r.drive(ctx, s, progress.RunStarted)
}

// settle returns a copy of the config with a value for every auto key, and reports the values.
func (r *Runner) settle(ctx context.Context, checked config.Checked, g *kg.Graph) (*config.Config, error) {
	done, err := r.Settle(ctx, checked, g)
	if err != nil {
		return nil, err
	}
	cfg, settled := checked.Config(), done.Config()
	if len(cfg.Auto()) == 0 && g.Division != "" && r.Progress != nil {
		r.Progress.Event(progress.Event{Event: progress.Note, Time: time.Now(), Message: g.Division})
	}
	if len(cfg.Auto()) > 0 && r.Progress != nil {
		message := g.Division
		if settled.Split.Leakless && cfg.IsAuto("split.leakless") {
			message += "; split.leakless=false divides with them"
		}
		if cfg.IsAuto("gamma") && len(g.Valid) > 0 {
			// The config that is shown leaves out a gamma equal to the default.
			message = strings.TrimPrefix(fmt.Sprintf("%s; gamma %v has the best validation MRR", message, settled.Gamma), "; ")
		}
		r.Progress.Event(progress.Event{Event: progress.Settled, Time: time.Now(), Model: settled.Model,
			Variant: settled.Variant,
			Data:    g.Name, Message: message, Config: string(settled.SparseYAML())})
	}
	return settled, nil
}

// params returns what decides the run's numbers: the expanded config and the identities of config, graph and
// arithmetic.
func (r *Runner) params(c *config.Config, g *kg.Graph) map[string]string {
	p := c.Flatten()
	p["data"] = filepath.Base(p["data"]) // the folder's place is a tag: the same graph elsewhere gives the same run
	p[config.ParamHash] = c.IdentityHash()
	p[answer.ParamGraph] = g.Name
	p[answer.ParamGraphDigest] = g.Digest()
	p[answer.ParamNumerics] = strconv.Itoa(sphere.NumericsVersion)
	maps.DeleteFunc(p, func(_, value string) bool { return value == "" })
	return p
}

// tags returns the circumstances of the run, which change no number. An exception is the epoch after which the training
// is ended, if it is not 0.
func (r *Runner) tags(c *config.Config, g *kg.Graph, simd, roots string, end int) map[string]string {
	e := r.Environment
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	commit, _, _ := strings.Cut(e.GitHead, "-")
	t := map[string]string{
		answer.TagGitHead: e.GitHead, "binary_version": e.BinaryVersion, "go_version": e.GoVersion, "cpu": e.CPU,
		"cores": strconv.Itoa(e.Cores), "os": e.OS, "host": e.Host, "simd": simd, "roots": roots,
		"threads": strconv.Itoa(threads),
		"model":   c.Model, "variant": c.Variant, "seed": strconv.FormatUint(c.Seed,
			10), "graph": g.Name, "graph_digest": g.Digest(),
		"numerics_version": strconv.Itoa(sphere.NumericsVersion), "config_hash": c.IdentityHash(),
		answer.TagEntities: strconv.Itoa(g.Entities.Len()), answer.TagRelations: strconv.Itoa(g.Relations.Len()),
		answer.TagTests:  strconv.Itoa(len(g.Test)),
		answer.TagTypes:  g.TypesDigest(),
		answer.TagSource: g.Source, "mlflow.source.git.commit": commit,
		answer.TagEntryPoint: e.EntryPoint, answer.TagModules: moduleVersions(e.Modules["go.mod"]), tracker.TagParent: r.Parent,
	}
	if end > 0 {
		t[answer.TagEnded] = strconv.Itoa(end)
	}
	maps.DeleteFunc(t, func(_, value string) bool { return value == "" })
	maps.Copy(t, c.Tags)
	return t
}
