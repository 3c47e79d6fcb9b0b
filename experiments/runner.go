package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Runner trains configs as logged runs.
type Runner struct {
	Tracker     *tracker.Tracker
	DataDirs    []string    // where graphs are searched by name, in this order
	Environment Environment // logged with every run
	Progress    Progress    // nil: silent

	active atomic.Pointer[session] // the run in progress
}

// Abandon ends the run in progress as KILLED without waiting for its work, its state or the database: only a record is
// written on this machine, and the next start of any program stores it. The program must end afterwards. It returns the
// run's id if it can be resumed from an earlier saved state, else "".
func (r *Runner) Abandon() (resumable string) {
	s := r.active.Load()
	if s == nil {
		return ""
	}
	if _, err := os.Stat(s.path(stateFile)); err == nil {
		resumable = s.run.ID()
	}
	ended, end := context.WithCancel(context.Background())
	end() // the database is not waited for
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.run.Finish(ended, tracker.Killed) // as far as it goes; without the record the run is found dead later
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
	return resumable
}

// drive runs a session as the run in progress.
func (r *Runner) drive(ctx context.Context, s *session, first EventKind) (*Result, error) {
	r.active.Store(s)
	defer r.active.Store(nil)
	return s.drive(ctx, first)
}

// Result is a run that came to its end.
type Result struct {
	RunID, RunName string
	Digest         string // of the checkpoint, over its tensors
	Epochs         int    // trained
	Report         *eval.Report
	Graph          *kg.Graph
}

// InterruptedError says that a run was stopped from outside and that its state is saved.
type InterruptedError struct {
	RunID, RunName string
	Epoch, Epochs  int // finished, planned
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("run %s (%s) was interrupted after epoch %d of %d; its state is saved", shortID(e.RunID), e.RunName, e.Epoch, e.Epochs)
}

// FailedError says that a run ended as FAILED, and what is left of it.
type FailedError struct {
	RunID, RunName string
	Err            error
	StateEpoch     int // finished epochs in the last saved state, -1 if nothing was saved
}

func (e *FailedError) Error() string {
	text := fmt.Sprintf("run %s (%s) failed: %v", shortID(e.RunID), e.RunName, e.Err)
	if e.StateEpoch >= 0 {
		text += fmt.Sprintf(" (the state after epoch %d is kept)", e.StateEpoch)
	}
	if errors.Is(e.Err, syscall.ENOSPC) {
		text += "; free space on the disk of the data directory"
		if e.StateEpoch < 0 {
			text += ", or move it with SPHERELAB_HOME" // a kept state stays where it is
		}
	}
	return text
}

// Resumable reports whether resuming can help: there is a state, and training did not diverge, which it would again.
func (e *FailedError) Resumable() bool {
	var diverged *sphere.DivergedError
	return e.StateEpoch >= 0 && !errors.As(e.Err, &diverged) && !errors.Is(e.Err, errNotFinite)
}

func (e *FailedError) Unwrap() error { return e.Err }

func (r *Runner) progress() Progress {
	if r.Progress == nil {
		return Silent{}
	}
	return r.Progress
}

// Train runs cfg to its end as a new run. Mistakes in the config or the graph are found before the run is started.
// It returns *InterruptedError when ctx ended and the state was saved, *FailedError when the run failed.
func (r *Runner) Train(ctx context.Context, cfg *Config) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	g, err := OpenGraph(cfg.Data, r.DataDirs)
	if err != nil {
		return nil, err
	}
	return r.TrainOn(ctx, cfg, g)
}

// TrainOn is Train with a graph that is loaded already; it must be the one that cfg.Data names, by which a resume and
// others find it again.
func (r *Runner) TrainOn(ctx context.Context, cfg *Config, g *kg.Graph) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	simd, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	settled := *cfg
	if err := settled.validateOn(g); err != nil {
		return nil, err
	}
	s, err := newSession(r, &settled, g)
	if err != nil {
		return nil, err
	}
	model, err := sphere.New(settled.Settings(), g, settled.Seed)
	if err != nil {
		return nil, settled.adopt(err)
	}
	s.trainer, err = sphere.NewTrainer(model, g, settled.Training())
	if err != nil {
		return nil, settled.adopt(err)
	}
	defer s.trainer.Close()

	spec := tracker.RunSpec{Experiment: settled.experiment(g), Name: settled.runName(g), Params: r.params(&settled, g), Tags: r.tags(&settled, g, simd)}
	run, err := r.Tracker.StartRun(ctx, spec)
	if err != nil {
		return nil, err
	}
	s.run = run
	return r.drive(ctx, s, RunStarted)
}

// experiment is the name of the experiment the run belongs to.
func (c *Config) experiment(g *kg.Graph) string {
	if c.Tracker.Experiment != "" {
		return c.Tracker.Experiment
	}
	return g.Name
}

// runName is the config's own name, or one made of graph, model and variant.
func (c *Config) runName(g *kg.Graph) string {
	if c.Name != "" {
		return c.Name
	}
	return g.Name + "-" + c.Model + "-" + c.Variant
}

// params are what decides the run's numbers: the expanded config and the identities of config, graph and arithmetic.
func (r *Runner) params(c *Config, g *kg.Graph) map[string]string {
	p := c.Flatten()
	p["data"] = filepath.Base(p["data"]) // where the folder lies is a tag; the same graph elsewhere is the same run
	p["config_hash"] = c.IdentityHash()
	p["graph"] = g.Name
	p["graph_digest"] = g.Digest()
	p["numerics_version"] = strconv.Itoa(sphere.NumericsVersion)
	maps.DeleteFunc(p, func(_, value string) bool { return value == "" })
	return p
}

// Names of tags that other commands read.
const (
	tagDigest    = "checkpoint_digest"
	tagSource    = "data_source" // absolute folder of the graph
	tagCriterion = "criterion"   // of the plain metric keys
	tagResumed   = "resumed"     // how often
	tagGitHead   = "git_head"    // of the program that began the run
	tagGitHeads  = "git_heads"   // of all programs that have worked on it, if there are several
)

// tags describe the circumstances, which change no number.
func (r *Runner) tags(c *Config, g *kg.Graph, simd string) map[string]string {
	e := r.Environment
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := map[string]string{
		tagGitHead: e.GitHead, "binary_version": e.BinaryVersion, "go_version": e.GoVersion, "cpu": e.CPU,
		"cores": strconv.Itoa(e.Cores), "os": e.OS, "host": e.Host, "simd": simd, "threads": strconv.Itoa(threads),
		"model": c.Model, "variant": c.Variant, "seed": strconv.FormatUint(c.Seed, 10), "graph": g.Name, "graph_digest": g.Digest(),
		"numerics_version": strconv.Itoa(sphere.NumericsVersion), "config_hash": c.IdentityHash(),
		"entities": strconv.Itoa(g.Entities.Len()), "relations": strconv.Itoa(g.Relations.Len()),
		tagSource: g.Source, "mlflow.source.git.commit": e.GitHead,
	}
	maps.DeleteFunc(t, func(_, value string) bool { return value == "" })
	maps.Copy(t, c.Tags)
	return t
}

// evalSettings are those of the final evaluation.
func (c *Config) evalSettings(hasRadii bool) eval.Settings {
	s := eval.Settings{
		Split: kg.Test, TopL: c.Eval.TopL, SkipTopL: len(c.Eval.TopL) == 0,
		Further: []sphere.Criterion{sphere.CriterionMargin}, Resamples: c.Eval.Bootstrap, Seed: c.Seed, Threads: c.Threads,
		TopMean: c.Eval.Fit,
	}
	if hasRadii {
		s.Further = append(s.Further, sphere.CriterionSphere, sphere.CriterionIntersect)
	}
	if c.Eval.Criterion != "default" {
		s.Primary = sphere.Criterion(c.Eval.Criterion)
	}
	return s
}

// validationSettings are those of evaluations during training. The test triples are left out of the ground truth, so
// that nothing of them enters the choice of a model.
func (c *Config) validationSettings() eval.Settings {
	s := eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}, SkipTopL: true, Seed: c.Seed, Threads: c.Threads}
	if c.Eval.Criterion != "default" {
		s.Primary = sphere.Criterion(c.Eval.Criterion)
	}
	return s
}

// prefixed puts a split's name before metric keys.
func prefixed(prefix string, metrics map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(metrics))
	for key, value := range metrics {
		out[prefix+key] = value
	}
	return out
}

// interrupted reports whether err is ctx's own end.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}
