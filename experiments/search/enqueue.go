package search

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// QueueName returns the name of the sweep for workers: that of its file.
func (s *Sweep) QueueName() string { return path.Base(filepath.ToSlash(s.File)) }

// Enqueued is the result of enqueuing a sweep.
type Enqueued struct {
	Jobs, New int // in the sweep; new in the queue, or waiting again
	Done      int // finished before
}

// Enqueue puts the jobs of a sweep into the tracker's queue, for workers on any machine. Enqueuing a sweep again does
// not duplicate its jobs. A job that failed or was canceled waits again. Jobs with a finished run are done.
func (s *Sweep) Enqueue(ctx context.Context, r *experiments.Runner) (Enqueued, error) {
	if s.Search != nil {
		return s.Search.enqueue(ctx, r, s.QueueName())
	}
	all, err := s.Status(ctx, r)
	if err != nil {
		return Enqueued{}, err
	}
	done := Enqueued{Jobs: len(all)}
	group := newSweepGroup(r.Tracker, s.File, s.content, func(string) {})
	var list []tracker.NewJob
	from := map[string]string{} // by key
	for _, status := range all {
		if status.State == Blocked {
			return Enqueued{}, status.Err
		}
		g, err := status.Config().Graph(r.DataDirs)
		if err != nil {
			return Enqueued{}, err
		}
		checked, err := r.Settle(ctx, status.Checked, g)
		if err != nil {
			return Enqueued{}, err
		}
		settled := checked.Config()
		if other, twice := from[status.Key]; twice { // once the auto keys have values
			return Enqueued{}, &config.Error{Origin: config.Origin{File: s.File}, Key: "runs",
				Message: fmt.Sprintf("%s and %s are the same run", other, status.Title())}
		}
		from[status.Key] = status.Title()
		job := tracker.NewJob{Key: status.Key, Title: status.Title(), Config: string(settled.YAML())}
		if status.State == Done {
			job.Run = status.Run.ID
			done.Done++
		}
		list = append(list, job)
		if status.Run.ID != "" {
			err = group.join(ctx, settled.ExperimentIn(g), status.Run)
		} else {
			_, err = group.in(ctx, settled.ExperimentIn(g))
		}
		if err != nil {
			return Enqueued{}, err
		}
	}
	store, err := postgres.Of(r.Tracker)
	if err != nil {
		return done, err
	}
	if done.New, err = store.Enqueue(ctx, s.QueueName(), list); err != nil {
		return done, err
	}
	return done, Refresh(ctx, r.Tracker, s.QueueName())
}

// jobKey is the key of a settled config's job: two jobs of one key would have the same numbers.
func jobKey(c *config.Config, g *kg.Graph) string {
	return c.IdentityHash() + " " + g.Digest() + " " + strconv.Itoa(sphere.NumericsVersion)
}
