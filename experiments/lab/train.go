package lab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Train trains a model on a graph, evaluates it and logs everything, while the cell shows how far it is.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Epochs(30))
//
// The run is one like any other: `spherelab runs ls` lists it, SQL finds it. An interrupt of the cell saves the run, and
// lab.Resume goes on with it. On a graph without test facts nothing is evaluated, and on a very small one each fact gets
// fewer negatives than there are entities; what was adapted is said. One training runs at a time in a kernel.
func (s *Session) Train(g *Graph, m *Model) *Run { return s.train(g, m, 0) }

// train trains to the end, or stops after an epoch that is not 0.
func (s *Session) train(g *Graph, m *Model, until int) *Run {
	switch {
	case g == nil:
		panic(fail(UnknownGraph, "lab.Train needs a graph: lab.Train(lab.Graph(\"bundled\"), m)"))
	case m == nil:
		panic(fail(BadModel, "lab.Train needs a model: lab.Train(g, lab.Model(\"sphere-2d\"))"))
	}
	if n := g.graph.Entities.Len(); n < 2 {
		panic(fail(BadGraph, "graph %s has %s: training needs two or more, since a false fact is a true one with another entity", g.graph.Name, counts(n, "entity", "entities")))
	}
	cfg := m.config.Clone()
	cfg.Data = g.data
	notes, err := adapt(cfg, g.graph, m.said)
	check(err)
	if cfg.Threads == 0 {
		cfg.Threads = s.o.Threads
	}
	return s.drive(notes, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		if until > 0 {
			return trainUntil(ctx, r, cfg, g.graph, until)
		}
		return r.TrainOn(ctx, cfg, g.graph)
	})
}

// adapt makes a config fit a small graph, as far as the cells did not say otherwise, and says what it changed.
func adapt(cfg *experiments.Config, g *kg.Graph, said map[string]bool) (notes []string, err error) {
	set := func(key, value, why string) {
		if !said[key] && err == nil {
			err = cfg.Set(key, value, "lab.Train")
			notes = append(notes, fmt.Sprintf("%s = %s: %s", key, value, why))
		}
	}
	if len(g.Valid) == 0 && cfg.Eval.Every > 0 && cfg.EarlyStop.Metric == "" {
		set("eval.every", "0", "the graph has no validation facts")
	}
	if len(g.Test) == 0 && cfg.Eval.Final {
		set("eval.final", "false", "the graph has no test facts, so nothing is measured")
	}
	if n := g.Entities.Len(); cfg.Train.Negatives >= n && n > 1 {
		set("train.negatives", strconv.Itoa(n-1), fmt.Sprintf("the graph has %d entities", n))
	}
	return notes, err
}

// Resume goes on with a run that was interrupted, killed or failed, from its last saved state. The result has the same
// bits as if nothing had stopped it.
//
//	run := lab.Resume("last")
//
// The run is named by its id, the beginning of it, its name, or "last", the newest. Its config is its own.
func (s *Session) Resume(ref string) *Run {
	info := s.find(s.context(), ref)
	if info.Status == "FINISHED" {
		panic(fail(RunNotFinished, "run %s (%s) is finished; there is nothing to resume. lab.Run(%q) takes it as it is", short(info.ID), info.Name, short(info.ID)))
	}
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Resume(ctx, info.ID, experiments.Layers{})
	})
}

// drive lets work train with a live display.
func (s *Session) drive(notes []string, work func(context.Context, *experiments.Runner) (*experiments.Result, error)) *Run {
	ctx := s.context()
	t := s.tracker(ctx)
	l := s.begin(notes)
	defer s.end()
	l.history = func(runID, key string) ([]float64, []float64) { return history(ctx, t, runID, key) }
	r := &experiments.Runner{Tracker: t, DataDirs: s.dataDirs(), Environment: s.machine(ctx), Progress: l}
	result, err := work(ctx, r)
	var paused *pausedError
	if errors.As(err, &paused) {
		l.pause()
		return s.run(context.WithoutCancel(ctx), paused.RunID)
	}
	if err != nil {
		e := asError(err)
		var stopped *experiments.InterruptedError
		if errors.As(err, &stopped) {
			e.Message = s.interruptedText(ctx, stopped)
		}
		l.fail(e)
		panic(e)
	}
	return s.run(context.WithoutCancel(ctx), result.RunID) // an interrupt from here on comes too late to matter
}

// interruptedText says where the training stopped and how to go on.
func (s *Session) interruptedText(ctx context.Context, e *experiments.InterruptedError) string {
	ref := short(e.RunID)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if t, err := s.o.Tracker(ctx); err == nil {
		if last, err := t.FindRun(ctx, "last"); err == nil && last.ID == e.RunID {
			ref = "last"
		}
	}
	return fmt.Sprintf("interrupted after epoch %d of %d; saved as run %s (%s); go on with lab.Resume(%q)", e.Epoch, e.Epochs, short(e.RunID), e.RunName, ref)
}

// begin claims the kernel's one place for a training.
func (s *Session) begin(notes []string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.training != nil {
		panic(fail(AlreadyTraining, "%s is training in this kernel; a second training has to wait until it ends", s.training.where()))
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
