package tracker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/spherelab/spherelab/tracker/rest"
)

// tagStart marks a new run with a number of its own, by which a run is found whose creation was not answered.
const tagStart = "spherelab.start"

// start is StartRun for a tracking server.
func (m *remote) start(ctx context.Context, spec RunSpec, tags map[string]string) (*Run, error) {
	tags = maps.Clone(tags)
	tags[tagStart] = randomHex(8)
	began := time.Now().UnixMilli()
	var run rest.Run
	experiment, again := "", false
	err := m.t.retry(ctx, "starting a run", func(ctx context.Context) (err error) {
		if experiment, err = m.experiment(ctx, spec.Experiment); err != nil {
			return err
		}
		if again { // the run may be there, and only the answer was lost
			var found bool
			if run, found, err = m.started(ctx, experiment, tags[tagStart]); err != nil || found {
				return err
			}
		}
		again = true
		run, err = m.c.CreateRun(ctx, rest.NewRun{Experiment: experiment, Name: spec.Name, User: m.t.user, Start: began,
			Tags: pairs(tags)})
		return err
	})
	if err != nil {
		if again && ctx.Err() != nil {
			m.abandon(context.WithoutCancel(ctx), experiment, tags[tagStart])
		}
		return nil, err
	}
	id := run.Info.ID
	if !isRemoteID(id) {
		return nil, errorf(CodeInternal, nil, "%s gave the new run the id %.70q, which is none", m.t.where(), id)
	}
	m.setURI(id, run.Info.URI)
	dir := m.folder(id)
	s, err := createSpool(m.t.o.DataDir, m.t.instance, id, spec.Lease.claim())
	if err == nil {
		if err = os.MkdirAll(dir, 0o755); err != nil {
			_ = s.remove() // it holds nothing
		}
	}
	if err != nil {
		m.t.markFailed(ctx, id)
		return nil, wrap(err, "starting a run")
	}
	r := m.t.newRun(id, spec.Name, dir, s)
	err = r.LogParams(spec.Params)
	if err == nil && len(spec.Inputs) > 0 {
		err = r.record(entry{Kind: "inputs", Inputs: spec.Inputs})
	}
	r.begin()
	if err == nil {
		if err = r.flush(ctx); transient(err) && ctx.Err() == nil {
			err = nil // the server has been lost since; the background writer waits for it
		}
	}
	if err != nil {
		return nil, errors.Join(wrap(err, "starting a run"), r.Finish(context.WithoutCancel(ctx), Failed))
	}
	return r, nil
}

// started finds the run with a tag of its start.
func (m *remote) started(ctx context.Context, experiment, tag string) (run rest.Run, found bool, err error) {
	err = m.c.SearchRuns(ctx, rest.Search{Experiments: []string{experiment}, Page: 1,
		Filter: fmt.Sprintf("tags.`%s` = '%s'", tagStart, tag)}, func(r rest.Run) bool {
		run, found = r, true
		return false
	})
	return run, found, err
}

// abandon marks a run as failed whose creation was interrupted, if the server has created it. The server may be at it
// still, so it is asked a few times.
func (m *remote) abandon(ctx context.Context, experiment, tag string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for pause := 50 * time.Millisecond; pause <= 400*time.Millisecond; pause *= 2 {
		run, found, err := m.started(ctx, experiment, tag)
		if found {
			m.t.markFailed(ctx, run.Info.ID)
			return
		}
		if err != nil && !transient(err) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
