package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// enqueuedSearch is a search in the queue of a new database, and what the same search finds in one program.
func enqueuedSearch(t *testing.T, text string) (s *search.Sweep, tr *tracker.Tracker, alone *search.Report) {
	t.Helper()
	s, err := search.Load(runtest.WriteSearch(t, text), config.Layers{})
	expect.NoError(t, err)
	other := trackertest.Open(t)
	if alone, err = s.Search.Run(t.Context(), &experiments.Runner{Tracker: other}, search.Options{}); err != nil {
		t.Fatal(err)
	}
	tr = trackertest.Open(t)
	if _, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	return s, tr, alone
}

// sameSearch compares what workers found with what one program found, and counts their runs.
func sameSearch(t *testing.T, s *search.Sweep, tr *tracker.Tracker, alone *search.Report) {
	t.Helper()
	report, err := s.Search.Status(t.Context(), &experiments.Runner{Tracker: tr})
	expect.NoError(t, err)
	if !report.Ended() {
		t.Fatalf("the search has not ended:\n%s", trials(report))
	}
	if got, want := trials(report), trials(alone); got != want {
		t.Errorf("workers found\n%s\none program\n%s", got, want)
	}
	if got, want := string(report.Best.YAML()), string(alone.Best.YAML()); got != want {
		t.Errorf("the best config is\n%s\nwant\n%s", got, want)
	}
	runs, err := tr.Runs(t.Context(), tracker.Filter{})
	if err != nil || len(runs) != len(alone.Trials)+1 {
		t.Errorf("there are %d runs, %v; want one for each of %d trials and the best", len(runs), err, len(alone.Trials))
	}
	for _, run := range runs {
		if _, tested := run.Metrics["test/mrr"]; tested != (run.ID == report.Winner[0]) {
			t.Errorf("run %s of trial %q is evaluated on the test triples: %v", run.Name, run.Tags[answer.TagTrial], tested)
		}
	}
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	for _, job := range jobs {
		if job.State != tracker.JobDone {
			t.Errorf("%s is %s: %s", job.Title, job.State, job.Error)
		}
	}
}

// worker is one with a tracker of its own, which shares the folder of artifacts.
func drained(t *testing.T, tr *tracker.Tracker, name string) *Worker {
	t.Helper()
	own := trackertest.OpenWith(t, trackertest.StoreOf(t, tr).URL(),
		tracker.Options{ArtifactDir: trackertest.StoreOf(t, tr).ArtifactRoot()})
	return &Worker{Runner: &experiments.Runner{Tracker: own}, Name: name, Runs: 1, Drain: true,
		Poll: 10 * time.Millisecond}
}

// TestWorkersShareASearch: three workers find what one program finds, by every method that learns or does not.
func TestWorkersShareASearch(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"tpe", "random"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s, tr, alone := enqueuedSearch(t, runtest.SmallSearch+"  batch: 3\n  method: "+method+"\n")
			var group sync.WaitGroup
			for _, name := range []string{"a", "b", "c"} {
				w := drained(t, tr, name)
				group.Go(func() {
					if err := w.Run(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			sameSearch(t, s, tr, alone)
			// Enqueued again, nothing waits.
			done, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr})
			if err != nil || done.New != 0 || done.Done != 1 {
				t.Errorf("enqueued again: %+v, %v", done, err)
			}
			groups, err := tr.Runs(t.Context(), tracker.Filter{Groups: true, Tags: map[string]string{
				tracker.TagGroup: "sweep"}})
			if err != nil || len(groups) != 1 || groups[0].Status != string(tracker.Finished) {
				t.Fatalf("the search's own runs: %+v, %v", groups, err)
			}
			report, err := s.Search.Status(t.Context(), &experiments.Runner{Tracker: tr})
			if err != nil || groups[0].Tags["best_run"] != report.Winner[0] {
				t.Errorf("the best run is %s, want %s, %v", groups[0].Tags["best_run"], report.Winner[0], err)
			}
		})
	}
}

// TestWorkerEndsAtAPromotion: a worker stands still in the training of a trial that was promoted to the next rung, past
// its lease. The next worker resumes the trial from its saved state, and the search ends as if nothing had happened.
func TestWorkerEndsAtAPromotion(t *testing.T) {
	t.Parallel()
	s, tr, alone := enqueuedSearch(t, runtest.SmallSearch)
	taken, ended := make(chan struct{}), make(chan struct{})
	first := drained(t, tr, "first")
	first.Lease = time.Hour
	first.Runner.Progress = runtest.After(3, func() { // epochs after 2 are those of promoted trials
		if _, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET lease_until = clock_timestamp()`); err != nil {
			t.Error(err)
		}
		close(taken)
		<-ended
	})
	done := make(chan error, 1)
	go func() { done <- first.Run(context.Background()) }()
	select {
	case <-taken:
	case err := <-done:
		t.Fatalf("no trial was promoted: %v", err)
	}
	if err := drained(t, tr, "second").Run(t.Context()); err != nil {
		t.Error(err)
	}
	close(ended)
	if err := <-done; err != nil {
		t.Error(err)
	}
	sameSearch(t, s, tr, alone)
}

// TestSearchWithoutATrial: a search whose trial was taken out of the queue ends with the reason, and continues when it
// is enqueued again.
func TestSearchWithoutATrial(t *testing.T) {
	t.Parallel()
	s, tr, alone := enqueuedSearch(t, runtest.SmallSearch)
	_, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET state = 'failed', error = 'the disk is gone' WHERE kind = 'run'`)
	expect.NoError(t, err)
	expect.NoError(t, drained(t, tr, "first").Run(t.Context()))
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	at := slices.IndexFunc(jobs, func(j tracker.Job) bool { return j.Kind == tracker.JobSearch })
	if jobs[at].State != tracker.JobFailed || !strings.Contains(jobs[at].Error, "the disk is gone") {
		t.Errorf("the search is %s: %s", jobs[at].State, jobs[at].Error)
	}
	if _, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, drained(t, tr, "second").Run(t.Context()))
	sameSearch(t, s, tr, alone)
}

// TestSearchThatFails: a search whose trials all diverge ends with the reason, with workers and in one program, and is
// not tried again.
func TestSearchThatFails(t *testing.T) {
	t.Parallel()
	s, err := search.Load(runtest.WriteSearch(t, "  set: [train.beta2=1e-9, train.adam_epsilon=1e-30]\n  method: grid\n  space:\n"+
		"    train.learning_rate: [100, 1000]\n"), config.Layers{Set: []string{"train.learning_rate=500"}})
	expect.NoError(t, err)
	tr := trackertest.Open(t)
	if _, err := s.Search.Run(t.Context(), &experiments.Runner{Tracker: trackertest.Open(t)},
		search.Options{}); err == nil ||
		!strings.Contains(err.Error(), "every trial failed; the first: diverged") {
		t.Errorf("in one program: %v", err)
	}
	if _, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, drained(t, tr, "first").Run(t.Context()))
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	for _, job := range jobs {
		if job.State != tracker.JobFailed || job.Failures != 1 {
			t.Errorf("%s is %s after %d failures: %s", job.Title, job.State, job.Failures, job.Error)
		}
	}
	if len(jobs) != 4 || !strings.Contains(jobs[0].Error, "every trial failed") {
		t.Errorf("%d jobs, the search: %s", len(jobs), jobs[0].Error)
	}
}

// TestSearchWithoutItsMetric: a metric that this graph's validations do not have ends the search with the reason,
// instead of training its trial forever.
func TestSearchWithoutItsMetric(t *testing.T) {
	t.Parallel()
	s, err := search.Load(runtest.WriteSearch(t, "  metric: valid/nn_f1\n"+runtest.SmallSearch), config.Layers{})
	expect.NoError(t, err)
	tr := trackertest.Open(t)
	if _, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	expect.NoError(t, drained(t, tr, "first").Run(ctx))
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	at := slices.IndexFunc(jobs, func(j tracker.Job) bool { return j.Kind == tracker.JobSearch })
	if jobs[at].State != tracker.JobFailed || !strings.Contains(jobs[at].Error, "has no valid/nn_f1") {
		t.Errorf("the search is %s: %s", jobs[at].State, jobs[at].Error)
	}
}

// trials is a report as text: everything but the ids of runs.
func trials(r *search.Report) string {
	var lines []string
	for _, trial := range r.Trials {
		lines = append(lines, fmt.Sprint(trial.Number, trial.Items, trial.Epochs, trial.Scores, trial.Failed))
	}
	return strings.Join(lines, "\n")
}
