package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
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
	// TimeLimit ends a training at the first epoch after it that ends with something saved: a validation where the best
	// one is kept, else a state. 0: none. TrainAll shares it between its runs.
	TimeLimit time.Duration

	parent string                  // id of the sweep's group that a new run belongs to; "" without one
	lease  *tracker.Lease          // of the job whose run is trained; nil without a queue
	active atomic.Pointer[session] // the run in progress
}

// Abandon ends the run in progress as KILLED without waiting for its work, its state or the database: it only writes a
// record on this machine, which the next program that starts stores. This program must end afterwards. The hints say
// how to resume the run if it has a saved state.
func (r *Runner) Abandon() []hint.Hint {
	s := r.active.Load()
	if s == nil {
		return nil
	}
	ended, end := context.WithCancel(context.Background())
	end() // the database is not waited for
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.run.Finish(ended, tracker.Killed) // without the record the run is found dead later
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
	return resumeHint(s.run.ID(), isFile(s.path(stateFile)) || isFile(s.path(stackStateFile)))
}

// resumeHint says how to finish a run if it has a saved state.
func resumeHint(id string, resumable bool) []hint.Hint {
	if !resumable {
		return nil
	}
	return []hint.Hint{{Action: hint.ResumeRun, Subject: id}}
}

// runTitle names a run in messages.
func runTitle(id, name string) string { return fmt.Sprintf("run %s (%s)", tracker.ShortID(id), name) }

// drive runs a session as the run in progress.
func (r *Runner) drive(ctx context.Context, s *session, first EventKind) (*Result, error) {
	r.active.Store(s)
	defer r.active.Store(nil)
	return s.drive(ctx, first)
}

// Result is a finished run.
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
	return fmt.Sprintf("%s was interrupted after epoch %d of %d; its state is saved", runTitle(e.RunID, e.RunName),
		e.Epoch, e.Epochs)
}

// Hints says how to resume the run, or to end it.
func (e *InterruptedError) Hints() []hint.Hint {
	list := resumeHint(e.RunID, true)
	if e.Epoch > 0 {
		list = append(list, hint.Hint{Action: hint.FinishRun, Subject: e.RunID})
	}
	return list
}

// FailedError says that a run ended as FAILED, and what is left of it.
type FailedError struct {
	RunID, RunName string
	Err            error
	StateEpoch     int // finished epochs in the last saved state, -1 if nothing was saved
}

func (e *FailedError) Error() string {
	text := fmt.Sprintf("%s failed: %v", runTitle(e.RunID, e.RunName), e.Err)
	if e.StateEpoch >= 0 {
		text += fmt.Sprintf(" (the state after epoch %d is kept)", e.StateEpoch)
	}
	if errors.Is(e.Err, syscall.ENOSPC) {
		text += "; free space on the disk of the data directory"
	}
	return text
}

// Hints says how to resume the run if it has a saved state. A run that diverged would diverge again. Without a saved
// state another data directory may help against a full disk; a saved state stays where it is.
func (e *FailedError) Hints() []hint.Hint {
	if errors.Is(e.Err, syscall.ENOSPC) && e.StateEpoch < 0 {
		return []hint.Hint{{Action: hint.NameHome}}
	}
	return resumeHint(e.RunID, e.StateEpoch >= 0 && !diverged(e.Err))
}

// diverged reports whether a training failed because its numbers did: it would fail again.
func diverged(err error) bool {
	var loss *sphere.DivergedError
	var parameter *sphere.NotFiniteError
	return errors.As(err, &loss) || errors.As(err, &parameter)
}

func (e *FailedError) Unwrap() error { return e.Err }

// Train runs cfg, which is valid (see LoadConfig and Config.Validate), to its end as a new run. What the graph does not
// allow is found before the run is started. Train returns *InterruptedError when ctx ended and the state was saved,
// *FailedError when the run failed.
func (r *Runner) Train(ctx context.Context, cfg *Config) (*Result, error) {
	g, err := cfg.Graph(r.DataDirs)
	if err != nil {
		return nil, err
	}
	return r.TrainOn(ctx, cfg, g)
}

// TrainOn is Train with a graph that is loaded already. It must be the one that cfg.Data names: Resume loads it from
// there.
func (r *Runner) TrainOn(ctx context.Context, cfg *Config, g *kg.Graph) (*Result, error) {
	return r.trainOn(ctx, cfg, g, 0)
}

// trainOn is TrainOn, and ends the training after an epoch; 0: as the config says.
func (r *Runner) trainOn(ctx context.Context, cfg *Config, g *kg.Graph, end int) (*Result, error) {
	deadline := r.deadline()
	simd, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	roots, err := sphere.Roots()
	if err != nil {
		return nil, err
	}
	settled, err := r.settle(ctx, cfg, g)
	if err != nil {
		return nil, err
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
		return nil, settled.invalid(err)
	}
	defer s.trainer.Close()
	s.end, s.deadline = end, deadline
	settled.Train.Steps = s.trainer.Settings().Steps

	spec := tracker.RunSpec{Experiment: settled.experiment(g), Name: settled.runName(g), Params: r.params(settled, g),
		Tags: r.tags(settled, g, simd, roots, end), Lease: r.lease, Inputs: datasets(g)}
	run, err := r.Tracker.StartRun(ctx, spec)
	if err != nil {
		return nil, err
	}
	s.run, s.shared = run, s.shared || run.InBucket()
	return r.drive(ctx, s, RunStarted)
}

// settle is a copy of the config with a value for every auto, which is reported.
func (r *Runner) settle(ctx context.Context, cfg *Config, g *kg.Graph) (*Config, error) {
	settled, err := r.Settle(ctx, cfg, g)
	if err != nil {
		return nil, err
	}
	if len(cfg.auto) == 0 && g.Division != "" && r.Progress != nil {
		r.Progress.Event(Event{Event: Note, Time: time.Now(), Message: g.Division})
	}
	if len(cfg.auto) > 0 && r.Progress != nil {
		message := g.Division
		if settled.Split.Leakless && cfg.auto["split.leakless"] {
			message += "; split.leakless=false divides with them"
		}
		if cfg.auto["gamma"] && len(g.Valid) > 0 {
			// The config below does not name a gamma that is the default.
			message = strings.TrimPrefix(fmt.Sprintf("%s; gamma %v has the best validation MRR", message, settled.Gamma), "; ")
		}
		r.Progress.Event(Event{Event: Settled, Time: time.Now(), Model: settled.Model, Variant: settled.Variant,
			Data: g.Name, Message: message, Config: string(settled.SparseYAML())})
	}
	own := *settled
	return &own, nil
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

// params decide the run's numbers: the expanded config and the identities of config, graph and arithmetic.
func (r *Runner) params(c *Config, g *kg.Graph) map[string]string {
	p := c.Flatten()
	p["data"] = filepath.Base(p["data"]) // the folder's place is a tag: the same graph elsewhere gives the same run
	p[ParamConfigHash] = c.IdentityHash()
	p[ParamGraph] = g.Name
	p[ParamGraphDigest] = g.Digest()
	p[ParamNumerics] = strconv.Itoa(sphere.NumericsVersion)
	maps.DeleteFunc(p, func(_, value string) bool { return value == "" })
	return p
}

// tags describe the circumstances, which change no number, but the epoch after which the training is ended, if it is
// not 0.
func (r *Runner) tags(c *Config, g *kg.Graph, simd, roots string, end int) map[string]string {
	e := r.Environment
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := map[string]string{
		tagGitHead: e.GitHead, "binary_version": e.BinaryVersion, "go_version": e.GoVersion, "cpu": e.CPU,
		"cores": strconv.Itoa(e.Cores), "os": e.OS, "host": e.Host, "simd": simd, "roots": roots,
		"threads": strconv.Itoa(threads),
		"model":   c.Model, "variant": c.Variant, "seed": strconv.FormatUint(c.Seed,
			10), "graph": g.Name, "graph_digest": g.Digest(),
		"numerics_version": strconv.Itoa(sphere.NumericsVersion), "config_hash": c.IdentityHash(),
		tagEntities: strconv.Itoa(g.Entities.Len()), tagRelations: strconv.Itoa(g.Relations.Len()),
		tagTests:  strconv.Itoa(len(g.Test)),
		TagSource: g.Source, "mlflow.source.git.commit": strings.TrimSuffix(e.GitHead, "-dirty"),
		tagEntryPoint: e.EntryPoint, tracker.TagParent: r.parent,
	}
	if end > 0 {
		t[TagEnded] = strconv.Itoa(end)
	}
	maps.DeleteFunc(t, func(_, value string) bool { return value == "" })
	maps.Copy(t, c.Tags)
	return t
}

// interrupted reports whether err is ctx's own end.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}
