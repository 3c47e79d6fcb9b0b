package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
)

// Train trains a model on a graph, evaluates it and logs everything, while the cell shows its progress.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Epochs(30))
//
// The run is like any other: `spherelab runs ls` lists it, SQL finds it. An interrupt of the cell saves the run, and
// lab.Resume continues it. On a graph without test facts nothing is evaluated, without validation facts no threshold is
// fitted, and on a very small graph each fact gets fewer negatives than there are entities; the display names what was
// adapted. One training runs at a time in a kernel.
func (s *Session) Train(g *Graph, m *Model) *Run { return s.train(g, m, 0, 0) }

// TrainFor is Train with an end by the clock: the training ends at the first validation after that time where
// early_stop.metric keeps the best one, else at the first saved state, and the run is evaluated.
//
//	run := lab.TrainFor(g, m, 90*time.Minute)
//
// The run logs after which epoch it was ended, and its reproduction ends there, too.
func (s *Session) TrainFor(g *Graph, m *Model, limit time.Duration) *Run {
	if limit <= 0 {
		panic(fail(BadModel, "lab.TrainFor cannot train for %s: give a time such as 90*time.Minute", limit))
	}
	return s.train(g, m, 0, limit)
}

// train trains to the end, or stops after an epoch that is not 0, or ends after a time that is not 0.
func (s *Session) train(g *Graph, m *Model, until int, limit time.Duration) *Run {
	switch {
	case g == nil:
		panic(fail(UnknownGraph, "lab.Train needs a graph: lab.Train(lab.Graph(\"bundled\"), m)"))
	case m == nil:
		panic(fail(BadModel, "lab.Train needs a model: lab.Train(g, lab.Model(\"sphere-2d\"))"))
	}
	if n := g.graph.Entities.Len(); n < 2 {
		panic(fail(BadGraph, "graph %s has %s: training needs two or more, since a false fact replaces an entity",
			g.graph.Name, counts(n, "entity", "entities")))
	}
	cfg := m.config.Clone()
	cfg.Data, cfg.File, cfg.Split = g.data, g.file, g.split
	notes, err := cfg.FitTo(g.graph, func(key string) bool { return m.changed[key] })
	check(err)
	check(cfg.Validate())
	if cfg.Threads == 0 {
		cfg.Threads = s.o.Threads
	}
	return s.drive(notes, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		r.TimeLimit = limit
		return r.Until(ctx, until, cfg.Eval.Every, func(ctx context.Context) (*experiments.Result, error) {
			return r.TrainOn(ctx, cfg, g.graph)
		})
	})
}

// Resume continues a run that was interrupted, killed or failed, from its last saved state. The result has the same
// bits as if nothing had stopped the run.
//
//	run := lab.Resume("last")
//
// The run is named by its id, the beginning of it, its name, or "last", the newest. Its config is its own.
func (s *Session) Resume(ref string) *Run {
	id := s.unfinished(ref, "resume")
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Resume(ctx, id, experiments.Layers{})
	})
}

// Finish ends an interrupted, killed or failed run before its last epoch: it evaluates the model of the best validation
// where early_stop.metric keeps that, else that of the epoch which the run had reached.
//
//	run := lab.Finish("last")
//
// The run logs after which epoch it was ended, and its reproduction ends there, too.
func (s *Session) Finish(ref string) *Run {
	id := s.unfinished(ref, "end")
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Finish(ctx, id, experiments.Layers{})
	})
}

// unfinished is the id of a run that is not finished; of several runs of a name it is the newest that can be resumed.
func (s *Session) unfinished(ref, todo string) string {
	info, err := experiments.FindResumable(s.context(), s.tracker(s.context()), ref)
	check(err)
	run := results.Read(info)
	if run.Finished() {
		panic(fail(RunNotFinished, "run %s is finished; there is nothing to %s; lab.Run(%q) takes it as it is", run, todo,
			run.ShortID()))
	}
	return run.Stored.ID
}

// training uses a runner until the context ends.
type training func(context.Context, *experiments.Runner) (*experiments.Result, error)

// drive trains with a live display.
func (s *Session) drive(notes []string, work training) *Run {
	var id string
	s.watch(notes, nil, func(ctx context.Context, r *experiments.Runner, l *live) error {
		result, err := work(ctx, r)
		var paused *experiments.PausedError
		if errors.As(err, &paused) {
			l.pause()
			id = paused.RunID
			return nil
		}
		if err == nil {
			id = result.RunID
		}
		return err
	})
	return s.run(context.WithoutCancel(s.context()), id) // an interrupt comes too late from here on
}

// watch uses a runner with a live display until the context ends. above may be nil.
func (s *Session) watch(
	notes []string, above func() (string, *chart.Chart), work func(context.Context, *experiments.Runner, *live) error,
) {
	ctx := s.context()
	t := s.tracker(ctx)
	l := s.begin(notes)
	defer s.end()
	l.above = above
	l.history = func(runID, key string) ([]float64, []float64) { return history(ctx, t, runID, key) }
	r := &experiments.Runner{Tracker: t, DataDirs: s.dataDirs(), Environment: s.machine(ctx), Progress: l}
	if err := work(ctx, r, l); err != nil {
		e := asError(err)
		l.fail(e)
		panic(e)
	}
}

// begin starts the kernel's only training.
func (s *Session) begin(notes []string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.training != nil {
		panic(fail(AlreadyTraining, "%s is training in this kernel; another training must wait until it ends",
			s.training.where()))
	}
	s.displays++
	id := fmt.Sprintf("spherelab-training-%d-%d", s.o.Clock().UnixNano(), s.displays)
	s.training = newLive(func(data map[string]interface{}) { s.show(id, data) }, s.o.Clock, notes)
	return s.training
}

func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.training = nil
}
