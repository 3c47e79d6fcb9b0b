package present

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/explore"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// maxLoaded is how many models the pages keep in memory.
const maxLoaded = 2

// loadedRun is a run whose model and graph are in memory, and the space of the model.
type loadedRun struct {
	run    *answer.Run
	laying gate
	space  *explore.Space // nil: not laid out; only for those who are in laying
}

// layout lays the space out, or returns that of before. Callers for one run wait for each other, until ctx ends.
func (l *loadedRun) layout(ctx context.Context) (*explore.Space, error) {
	leave, err := l.laying.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if l.space == nil {
		if l.space, err = explore.New(ctx, l.run); err != nil {
			return nil, err
		}
	}
	return l.space, nil
}

// model returns a run with its model and graph.
func (r *Reader) model(ctx context.Context, info tracker.RunInfo) (*answer.Run, error) {
	l, err := r.load(ctx, info)
	if err != nil {
		return nil, err
	}
	return l.run, nil
}

// load loads a run's model and graph, or returns recently used ones.
func (r *Reader) load(ctx context.Context, info tracker.RunInfo) (*loadedRun, error) {
	leave, err := r.loading.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	at := slices.IndexFunc(r.loaded, func(l *loadedRun) bool {
		return l.run.Info.ID == info.ID && l.run.Info.End.Equal(info.End) // a resumed run may have another model
	})
	if at >= 0 {
		l := r.loaded[at]
		r.loaded = slices.Insert(slices.Delete(r.loaded, at, at+1), 0, l)
		return l, nil
	}
	dirs, err := r.o.DataDirs()
	if err != nil {
		return nil, err
	}
	run, err := answer.Open(ctx, r.tracker, info.ID, dirs)
	if err != nil {
		return nil, r.graphTrouble(info, err)
	}
	l := &loadedRun{run: run, laying: newGate()}
	r.loaded = slices.Insert(r.loaded[:min(len(r.loaded), maxLoaded-1)], 0, l)
	return l, nil
}

// graphTrouble returns an error with what to do if a run's graph cannot be read. The wrong line goes to the log only: a
// client of the server may have named the file, and must not read it.
func (r *Reader) graphTrouble(info tracker.RunInfo, err error) error {
	_, damaged := errors.AsType[*kg.FileError](err)
	if _, missing := errors.AsType[*dataset.NotFoundError](err); !damaged && !missing {
		return err
	}
	fmt.Fprintln(r.o.Log, visible.Line(fmt.Sprintf("run %s: %v", tracker.ShortID(info.ID), err)))
	logged := answer.ReadLogged(info)
	name, place := logged.Graph, cmp.Or(logged.Source, logged.Config.Data)
	hints := []hint.Hint{{Action: hint.NameDataFolder}}
	if _, err := dataset.Lookup(name); err == nil {
		hints = slices.Insert(hints, 0, hint.Hint{Action: hint.FetchGraph, Subject: name})
	}
	return hint.With(fmt.Errorf("its graph %s cannot be read: put it back at %s, as it was when the run was trained; "+
		"the server's log says what is wrong with it", name, place), hints...)
}

// gate is a mutex whose waiting callers may give up.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

// enter waits for the gate until ctx ends. leave opens it again.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g <- struct{}{}:
		return func() { <-g }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
