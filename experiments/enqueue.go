package experiments

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// QueueName is the name under which workers know the sweep: that of its file.
func (s *Sweep) QueueName() string { return path.Base(filepath.ToSlash(s.File)) }

// Enqueued says what came of enqueuing a sweep.
type Enqueued struct {
	Jobs, New int // in the sweep; new in the queue, or waiting again
	Done      int // finished before
}

// Enqueue puts the jobs of a sweep into the tracker's queue, for workers on any machine. A job is there once, however
// often its sweep is enqueued; one that failed or was canceled waits again. Jobs with a finished run are done.
func (s *Sweep) Enqueue(ctx context.Context, r *Runner) (Enqueued, error) {
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
		if status.State == JobBlocked {
			return Enqueued{}, status.Err
		}
		g, err := status.Config.Graph(r.DataDirs)
		if err != nil {
			return Enqueued{}, err
		}
		config, err := r.Settle(ctx, status.Config, g)
		if err != nil {
			return Enqueued{}, err
		}
		if other, twice := from[status.Key]; twice { // once auto has its value
			return Enqueued{}, &ConfigError{Origin: Origin{File: s.File}, Key: "runs",
				Message: fmt.Sprintf("%s and %s are the same run", other, status.Title())}
		}
		from[status.Key] = status.Title()
		job := tracker.NewJob{Key: status.Key, Title: status.Title(), Config: string(config.YAML())}
		if status.State == JobDone {
			job.Run = status.Run.ID
			done.Done++
		}
		list = append(list, job)
		if status.Run.ID != "" {
			err = group.join(ctx, config.experiment(g), status.Run)
		} else {
			_, err = group.in(ctx, config.experiment(g))
		}
		if err != nil {
			return Enqueued{}, err
		}
	}
	if done.New, err = r.Tracker.Enqueue(ctx, s.QueueName(), list); err != nil {
		return done, err
	}
	return done, refreshSweep(ctx, r.Tracker, s.QueueName())
}

// jobKey is the key of a settled config's job: two jobs of one key would have the same numbers.
func (c *Config) jobKey(g *kg.Graph) string {
	return c.IdentityHash() + " " + g.Digest() + " " + strconv.Itoa(sphere.NumericsVersion)
}

// parseConfig reads the config of a job.
func parseConfig(job tracker.Job) (*Config, error) {
	c := DefaultConfig()
	if err := c.applyYAML(fmt.Sprintf("job %d", job.ID), []byte(job.Config)); err != nil {
		return nil, err
	}
	return c, c.Validate()
}
