package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// searchJob is a search as its job in the queue has it: complete, so that a worker needs no other file.
type searchJob struct {
	Name string `yaml:"name"`
	File string `yaml:"file"` // its content
	Base string `yaml:"base"` // the config that it begins with, settled, as YAML
}

// enqueue puts a search into the queue: one job, with which whatever worker has it draws trials and enqueues them.
func (s *Search) enqueue(ctx context.Context, r *experiments.Runner, queue string) (Enqueued, error) {
	g, err := s.base.Config().Graph(r.DataDirs)
	if err != nil {
		return Enqueued{}, err
	}
	base, err := r.Settle(ctx, s.base, g)
	if err != nil {
		return Enqueued{}, err
	}
	settled := *s
	settled.base = base
	config, err := yaml.Marshal(searchJob{s.Name, string(s.content), string(base.Config().YAML())})
	if err != nil {
		return Enqueued{}, fmt.Errorf("search %s: %w", s.Name, err)
	}
	digest := sha256.Sum256(config)
	job := tracker.NewJob{Kind: tracker.JobSearch, Key: "search " + hex.EncodeToString(digest[:]),
		Title: fmt.Sprintf("search of %d trials", s.Trials), Config: string(config)}
	report, missing, err := settled.look(ctx, r, newSearchMemory())
	if err != nil {
		return Enqueued{}, err
	}
	done := Enqueued{Jobs: 1 + len(missing)}
	if report.Ended() {
		job.Run, done.Done = report.Winner[0], 1
	}
	group := newSweepGroup(r.Tracker, s.Name, s.content, func(string) {})
	if _, err := group.in(ctx, base.Config().ExperimentIn(g)); err != nil {
		return Enqueued{}, err
	}
	list := []tracker.NewJob{job} // first: workers take jobs in this order
	for _, m := range missing {   // a trial that failed or was canceled waits again
		list = append(list, m.newJob(g))
	}
	store, err := postgres.Of(r.Tracker)
	if err != nil {
		return done, err
	}
	if done.New, err = store.Enqueue(ctx, queue, list); err != nil {
		return done, err
	}
	return done, Refresh(ctx, r.Tracker, queue)
}

// newJob returns the job in the form that is enqueued. Its config is settled.
func (j Job) newJob(g *kg.Graph) tracker.NewJob {
	return tracker.NewJob{Key: j.QueueKey(g), Title: j.Name, Until: j.Until,
		Config: string(j.Config().YAML())}
}

// Ended reports whether everything is trained, the best config too.
func (r *Report) Ended() bool { return r.Whole && len(r.Winner) == len(r.Search.Seeds) }

// Graph is the graph of the search, from a folder of dirs.
func (s *Search) Graph(dirs []string) (*kg.Graph, error) { return s.base.Config().Graph(dirs) }

// ParseJob reads the search of a job.
func ParseJob(job tracker.Job) (*Search, error) {
	var content searchJob
	origin := fmt.Sprintf("job %d", job.ID)
	if err := yaml.UnmarshalWithOptions([]byte(job.Config), &content, yaml.Strict()); err != nil {
		return nil, config.SyntaxError(origin, "not a search", err)
	}
	var file sweepFile
	if err := yaml.UnmarshalWithOptions([]byte(content.File), &file, yaml.Strict()); err != nil {
		return nil, config.SyntaxError(content.Name, "not a search", err)
	}
	if file.Search == nil {
		return nil, &config.Error{Origin: config.Origin{File: content.Name}, Key: "search", Message: "the key search is missing"}
	}
	base, err := config.Parse(origin, []byte(content.Base))
	if err != nil {
		return nil, err
	}
	return searchOn(content.Name, file.Search, base)
}

// errSearchStopped says that a search lacks a trial.
var errSearchStopped = errors.New("the search cannot continue until it is enqueued again")

// advance enqueues what a search needs next: the trials of a batch, those that go on to the next rung, or the training
// of the best config. It returns how many of these jobs are new. winner is the run of the best config when all is
// trained.
func (s *Search) advance(
	ctx context.Context, r *experiments.Runner, queue string, memory *searchMemory,
) (added int, winner string, err error) {
	store, err := postgres.Of(r.Tracker)
	if err != nil {
		return 0, "", err
	}
	jobs, err := store.Jobs(ctx, queue) // before the look, which then knows what each done job has logged
	if err != nil {
		return 0, "", err
	}
	report, missing, err := s.look(ctx, r, memory)
	if err != nil {
		return 0, "", err
	}
	if report.Ended() {
		return 0, report.Winner[0], nil
	}
	g, err := s.base.Config().Graph(r.DataDirs)
	if err != nil {
		return 0, "", err
	}
	var list []tracker.NewJob
	for _, job := range missing {
		next := job.newJob(g)
		at := slices.IndexFunc(jobs, func(j tracker.Job) bool { return j.Key == next.Key })
		switch {
		case at >= 0 && jobs[at].State == tracker.JobFailed:
			return 0, "", fmt.Errorf("%w: %s failed: %s", errSearchStopped, jobs[at].Title, jobs[at].Error)
		case at >= 0 && jobs[at].State == tracker.JobDone:
			return 0, "", fmt.Errorf("%w: %s is done and has no %s", errSearchStopped, jobs[at].Title, s.Metric)
		case at >= 0 && jobs[at].State == tracker.JobCanceled:
			return 0, "", fmt.Errorf("%w: %s was canceled", errSearchStopped, jobs[at].Title)
		}
		list = append(list, next)
	}
	added, err = store.Enqueue(ctx, queue, list)
	return added, "", err
}

// QueueKey is the key of a job on a graph in a queue. A run that is trained to an epoch and later further is two jobs.
// The config is settled.
func (j Job) QueueKey(g *kg.Graph) string {
	if j.Until > 0 {
		return fmt.Sprintf("%s until %d", jobKey(j.Config(), g), j.Until)
	}
	return jobKey(j.Config(), g)
}
