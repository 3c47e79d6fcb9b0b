package present

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// maxLoaded is how many models the pages keep in memory.
const maxLoaded = 2

// model loads a run's model and graph, or returns recently used ones.
func (r *Reader) model(ctx context.Context, info tracker.RunInfo) (*answer.Run, error) {
	leave, err := r.loading.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	at := slices.IndexFunc(r.loaded, func(run *answer.Run) bool {
		return run.Info.ID == info.ID && run.Info.End.Equal(info.End) // a resumed run may have another model
	})
	if at >= 0 {
		run := r.loaded[at]
		r.loaded = slices.Insert(slices.Delete(r.loaded, at, at+1), 0, run)
		return run, nil
	}
	dirs, err := r.o.DataDirs()
	if err != nil {
		return nil, err
	}
	run, err := answer.Open(ctx, r.tracker, info.ID, dirs)
	if err != nil {
		return nil, r.graphTrouble(info, err)
	}
	r.loaded = slices.Insert(r.loaded[:min(len(r.loaded), maxLoaded-1)], 0, run)
	return run, nil
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
