package search

import (
	"context"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// sweepKind is the kind of the groups of sweeps.
const sweepKind = "sweep"

// The tags and the note of a sweep's group.
const (
	tagBestRun = "best_run" // id
	tagRuns    = "runs"     // how many there are, by status
	tagNote    = "mlflow.note.content"
)

// sweepGroup is a sweep as a run of the tracker, below which MLflow's pages nest its trainings. Those pages show one
// experiment, so there is one in each experiment that the sweep has runs in.
type sweepGroup struct {
	tracker *tracker.Tracker
	name    string // of the sweep
	content []byte // of its file; nil: not here
	metrics []string
	winner  string            // id of the best run, where a search has found it by its own rule; else ""
	ids     map[string]string // by experiment
	say     func(string)
}

// usualMetrics are those of validations that say which run of a sweep is the best.
var usualMetrics = []string{"valid/mrr", "valid/head_f1"}

// newSweepGroup is the group of a sweep's file, which has this content.
func newSweepGroup(t *tracker.Tracker, file string, content []byte, say func(string)) *sweepGroup {
	return &sweepGroup{t, path.Base(filepath.ToSlash(file)), content, usualMetrics, "", map[string]string{}, say}
}

// in is the id of the sweep's run in an experiment, which is RUNNING from then on; "" without a group.
func (g *sweepGroup) in(ctx context.Context, experiment string) (id string, err error) {
	if g == nil {
		return "", nil
	}
	if id = g.ids[experiment]; id != "" {
		return id, nil
	}
	spec := tracker.GroupSpec{Experiment: experiment, Kind: sweepKind, Name: g.name,
		Tags: map[string]string{answer.TagEntryPoint: sweepKind}}
	if g.content != nil {
		spec.Files = map[string][]byte{"sweep.yaml": g.content}
	}
	if id, err = g.tracker.OpenGroup(ctx, spec); err == nil {
		g.ids[experiment] = id
	}
	return id, err
}

// join puts a run that is there into the sweep.
func (g *sweepGroup) join(ctx context.Context, experiment string, run tracker.RunInfo) error {
	id, err := g.in(ctx, experiment)
	if err != nil || id == "" {
		return err
	}
	return g.tracker.SetParent(ctx, run, id)
}

// train trains a new run of the sweep.
func (g *sweepGroup) train(ctx context.Context, r *experiments.Runner, c config.Checked,
	graph *kg.Graph) (*experiments.Result, error) {
	id, err := g.in(ctx, c.Config().ExperimentIn(graph))
	if err != nil {
		return nil, err
	}
	r.Parent = id
	defer func() { r.Parent = "" }()
	return r.TrainOn(ctx, c, graph)
}

// end stores the outcome of the sweep. A failure to store it is reported and fails no training. ctx may have ended.
func (g *sweepGroup) end(ctx context.Context, failed error) {
	status := tracker.Finished
	switch {
	case failed != nil && ctx.Err() != nil:
		status = tracker.Killed
	case failed != nil:
		status = tracker.Failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	for _, id := range g.ids {
		if err := g.set(ctx, id, status); err != nil {
			g.say("the sweep's own run in the tracker could not be changed: " + err.Error())
		}
	}
}

// set stores what the runs of a group are and which is the best.
func (g *sweepGroup) set(ctx context.Context, id string, status tracker.Status) error {
	runs, err := g.tracker.Runs(ctx, tracker.Filter{Tags: map[string]string{tracker.TagParent: id}})
	if err != nil {
		return err
	}
	state := tracker.GroupState{Status: status, Tags: map[string]string{tagRuns: countStatuses(runs)}}
	note := fmt.Sprintf("Sweep `%s`: %s.", g.name, state.Tags[tagRuns])
	if best, metric := g.best(runs); metric != "" {
		state.Tags[tagBestRun] = best.ID
		state.Metrics = map[string]float64{metric: best.Metrics[metric]}
		note += fmt.Sprintf("\n\nThe best by %s, %.4f: `%s`, run %s.", metric, best.Metrics[metric], best.Name, best.ID)
	}
	state.Tags[tagNote] = note
	return g.tracker.SetGroup(ctx, id, state)
}

// countStatuses counts runs by their status: "3 finished, 1 failed".
func countStatuses(runs []tracker.RunInfo) string {
	var parts []string
	for _, of := range []struct {
		status tracker.Status
		word   string
	}{{tracker.Finished, "finished"}, {tracker.Running, "running"}, {tracker.Killed, "interrupted"},
		{tracker.Failed, "failed"}} {
		n := 0
		for _, r := range runs {
			if r.Status == string(of.status) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, of.word))
		}
	}
	if parts == nil {
		return "no runs"
	}
	return strings.Join(parts, ", ")
}

// best is the run that a search has found, else bestRun.
func (g *sweepGroup) best(runs []tracker.RunInfo) (best tracker.RunInfo, metric string) {
	for _, r := range runs {
		if r.ID == g.winner {
			return r, g.metrics[0]
		}
	}
	return bestRun(runs, g.metrics)
}

// bestRun is the finished run with the best validation, of equal ones the oldest, and the metric that says so: the
// first that all of them have. metric is "" if there is none. What decides is never of the test triples. The newest run
// comes first.
func bestRun(runs []tracker.RunInfo, metrics []string) (best tracker.RunInfo, metric string) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r tracker.RunInfo) bool {
		return r.Status != string(tracker.Finished)
	})
	for _, key := range metrics {
		if len(runs) == 0 || slices.ContainsFunc(runs, func(r tracker.RunInfo) bool {
			v, has := r.Metrics[key]
			return !has || math.IsNaN(v)
		}) {
			continue
		}
		best = runs[0]
		for _, r := range runs {
			if a, b := r.Metrics[key], best.Metrics[key]; a == b || (a > b) != isRank(key) {
				best = r
			}
		}
		return best, key
	}
	return best, ""
}

// BestSoFar is, of each graph on which a sweep has several jobs and a finished run, the job with the best validation
// and the metric that says so. Validations of different graphs are not compared.
func BestSoFar(list []Status) (best []Status, metrics []string) {
	var graphs []string
	runs, jobs := map[string][]tracker.RunInfo{}, map[string]int{}
	for _, job := range list {
		graph := job.Config().Data
		if jobs[graph]++; jobs[graph] == 1 {
			graphs = append(graphs, graph)
		}
		runs[graph] = append(runs[graph], job.Run)
	}
	for _, graph := range graphs {
		slices.Reverse(runs[graph]) // the first job of a list counts as its oldest run
		run, metric := bestRun(runs[graph], usualMetrics)
		if metric == "" || jobs[graph] < 2 {
			continue
		}
		at := slices.IndexFunc(list, func(j Status) bool { return j.Run.ID == run.ID })
		best, metrics = append(best, list[at]), append(metrics, metric)
	}
	return best, metrics
}

// isRank reports whether less of a metric is better.
func isRank(metric string) bool { return metric == "valid/mr" }

// Refresh stores what the queue has done of an enqueued sweep in its groups.
func Refresh(ctx context.Context, t *tracker.Tracker, name string) error {
	store, err := postgres.Of(t)
	if err != nil {
		return err
	}
	jobs, err := store.Jobs(ctx, name)
	if err != nil {
		return err
	}
	has := func(states ...tracker.JobState) bool {
		return slices.ContainsFunc(jobs, func(j tracker.Job) bool { return slices.Contains(states, j.State) })
	}
	status := tracker.Finished
	switch {
	case has(tracker.JobWaiting, tracker.JobRunning):
		status = "" // as it is
	case has(tracker.JobFailed):
		status = tracker.Failed
	case has(tracker.JobCanceled):
		status = tracker.Killed
	}
	groups, err := t.Runs(ctx, tracker.Filter{Name: name, Tags: map[string]string{tracker.TagGroup: sweepKind},
		Groups: true})
	if err != nil {
		return err
	}
	g := newSweepGroup(t, name, nil, func(string) {})
	for _, job := range jobs { // a search says itself which run is the best, and by which metric
		if job.Kind != tracker.JobSearch {
			continue
		}
		s, err := ParseJob(job)
		if err != nil {
			return err
		}
		g.metrics = []string{s.Metric}
		if job.State == tracker.JobDone {
			g.winner = job.Run
		}
	}
	for _, run := range groups {
		if err := g.set(ctx, run.ID, status); err != nil {
			return err
		}
	}
	return nil
}

// Cancel takes the jobs of a sweep that have not ended out of the queue and returns how many they were.
func Cancel(ctx context.Context, t *tracker.Tracker, name string) (canceled int, err error) {
	store, err := postgres.Of(t)
	if err != nil {
		return 0, err
	}
	canceled, err = store.CancelSweep(ctx, name)
	if err != nil {
		return canceled, err
	}
	return canceled, Refresh(ctx, t, name)
}
