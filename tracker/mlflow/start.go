package mlflow

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/unique"
	"github.com/spherelab/spherelab/tracker/rest"
)

// tagStart marks a new run with a unique number, by which the run can be found if the answer to its creation was lost.
const tagStart = "spherelab.start"

// Create makes a run on the server, which chooses its id. The run exists there before its spool exists here.
func (m *remote) Create(ctx context.Context, spec tracker.NewRun, named func(id string) error) (tracker.Place, error) {
	tags := maps.Clone(spec.Tags)
	tags[tagStart] = unique.RandomHex(8)
	began := time.Now().UnixMilli()
	var run rest.Run
	experiment, again := "", false
	err := m.retry(ctx, "starting a run", func(ctx context.Context) (err error) {
		if experiment, err = m.experiment(ctx, spec.Experiment); err != nil {
			return err
		}
		if again { // the run may exist: perhaps only the answer was lost
			var found bool
			if run, found, err = m.findStarted(ctx, experiment, tags[tagStart]); err != nil || found {
				return err
			}
		}
		again = true
		run, err = m.c.CreateRun(ctx, rest.NewRun{Experiment: experiment, Name: spec.Name, User: spec.User,
			Start: began,
			Tags:  pairs(tags)})
		return err
	})
	if err != nil {
		if again && ctx.Err() != nil {
			m.abandon(context.WithoutCancel(ctx), experiment, tags[tagStart])
		}
		return tracker.Place{}, err
	}
	id := run.Info.ID
	if !isRemoteID(id) {
		return tracker.Place{}, tracker.Errorf(tracker.CodeInternal, nil, "%s returned the id %.70q for the new run, which is not a run id", m.where(), id)
	}
	m.setURI(id, run.Info.URI)
	dir := m.folder(id)
	err = named(id)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		m.markFailed(ctx, id)
		return tracker.Place{}, tracker.Wrap(serverFault(err), "starting a run")
	}
	return tracker.Place{ID: id, Dir: dir, URI: run.Info.URI, Bare: true}, nil
}

// markFailed ends a run that cannot be logged.
func (m *remote) markFailed(ctx context.Context, run string) {
	if _, err := m.endDead(ctx, run, time.Now().UnixMilli()); err != nil {
		m.o.Notice("run %s could not be marked FAILED: %s", run, tracker.Plain(serverFault(err)))
	}
}

// findStarted finds the run by its tagStart.
func (m *remote) findStarted(ctx context.Context, experiment, tag string) (run rest.Run, found bool, err error) {
	err = m.c.SearchRuns(ctx, rest.Search{Experiments: []string{experiment}, Page: 1,
		Filter: fmt.Sprintf("tags.`%s` = '%s'", tagStart, tag)}, func(r rest.Run) bool {
		run, found = r, true
		return false
	})
	return run, found, err
}

// abandon marks a run whose creation was interrupted as failed, if the server has created it. The server may still be
// creating it, so abandon asks a few times.
func (m *remote) abandon(ctx context.Context, experiment, tag string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for pause := 50 * time.Millisecond; pause <= 400*time.Millisecond; pause *= 2 {
		run, found, err := m.findStarted(ctx, experiment, tag)
		if found {
			m.markFailed(ctx, run.Info.ID)
			return
		}
		if err != nil && !tracker.Transient(serverFault(err)) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
