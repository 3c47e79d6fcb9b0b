package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
)

// Train trains a model on a graph, evaluates it and logs everything, while the cell shows its progress.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Epochs(30))
//
// The run is like any other: `spherelab runs ls` lists it, and SQL finds it. An interrupt of the cell saves the run,
// and lab.Resume continues it. A small graph may need other settings: without test facts nothing is evaluated, without
// validation facts no threshold is fitted, and there are never more negatives than entities to replace one by. The
// display lists such changes. A kernel runs one training at a time.
func (s *Session) Train(g *Graph, m *Model) *Run { return s.train(g, m, 0, 0) }

// TrainFor is Train with a time limit. After that time the training ends at the next validation if early_stop.metric
// keeps the best model, otherwise at the next saved state. Then the run is evaluated.
//
//	run := lab.TrainFor(g, m, 90*time.Minute)
//
// The run logs after which epoch it was ended, and its reproduction ends there too.
func (s *Session) TrainFor(g *Graph, m *Model, limit time.Duration) *Run {
	if limit <= 0 {
		panic(fail(BadModel, "lab.TrainFor cannot train for %s: use a time such as 90*time.Minute", limit))
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
		panic(fail(BadGraph, "graph %s has %s: training needs at least two, since a false fact replaces an entity",
			g.graph.Name, quantity.CommaCountOf(n, "entity", "entities")))
	}
	cfg := m.config.Clone()
	cfg.Data, cfg.File, cfg.Split = g.data, g.file, g.split
	notes, err := cfg.FitTo(g.graph, func(key string) bool { return m.changed[key] })
	check(err)
	if cfg.Threads == 0 {
		cfg.Threads = s.o.Threads
	}
	checked, err := cfg.Check()
	check(err)
	return s.drive(notes, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		r.TimeLimit = limit
		return r.Until(ctx, until, cfg.Eval.Every, func(ctx context.Context) (*experiments.Result, error) {
			return r.TrainOn(ctx, checked, g.graph)
		})
	})
}

// Resume continues an interrupted, killed or failed run from its last saved state. The result has the same bits as
// without the interruption.
//
//	run := lab.Resume("last")
//
// The run is named by its id, the beginning of its id, its name, or "last" for the newest. It keeps its config.
func (s *Session) Resume(ref string) *Run {
	id := s.findUnfinished(ref, "resume")
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Resume(ctx, id, config.Layers{})
	})
}

// Finish ends an interrupted, killed or failed run before its last epoch. It evaluates the model of the best validation
// if early_stop.metric keeps that, otherwise the model of the epoch that the run had reached.
//
//	run := lab.Finish("last")
//
// The run logs after which epoch it was ended, and its reproduction ends there too.
func (s *Session) Finish(ref string) *Run {
	id := s.findUnfinished(ref, "end")
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Finish(ctx, id, config.Layers{})
	})
}

// findUnfinished returns the id of a run that is not finished. Of several runs of the same name it returns the newest
// that can be resumed.
func (s *Session) findUnfinished(ref, todo string) string {
	info, err := answer.FindResumable(s.context(), s.tracker(s.context()), ref)
	check(err)
	run := results.Read(info)
	if run.Finished() {
		panic(fail(RunNotFinished, "run %s is finished; there is nothing to %s; lab.Run(%q) returns it", run, todo,
			run.ShortID()))
	}
	return run.Stored.ID
}

// training calls work with a runner. The context ends with the cell.
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
	return s.run(context.WithoutCancel(s.context()), id) // from here on an interrupt comes too late
}

// watch calls work with a runner that has a live display. above may be nil.
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
