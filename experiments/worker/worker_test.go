package worker

import (
	"context"
	"errors"
	"os"
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

// enqueued is a sweep in the queue of a new database, and the database's address.
func enqueued(t *testing.T, runs string) (s *search.Sweep, tr *tracker.Tracker) {
	t.Helper()
	tr = trackertest.Open(t)
	s, err := search.Load(runtest.WriteSweep(t, runs), config.Layers{})
	expect.NoError(t, err)
	if done, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr}); err != nil || done.New != len(s.Jobs) {
		t.Fatalf("enqueued %+v, %v", done, err)
	}
	return s, tr
}

// digests are the checkpoints of a sweep's finished runs by job.
func digests(t *testing.T, s *search.Sweep, tr *tracker.Tracker) (list []string) {
	t.Helper()
	states, err := s.Status(t.Context(), &experiments.Runner{Tracker: tr})
	expect.NoError(t, err)
	for _, job := range states {
		if job.State != search.Done {
			t.Errorf("%s is %s", job.Title(), job.State)
		}
		list = append(list, job.Run.Tags[answer.TagDigest])
	}
	return list
}

// Workers share a sweep: each job is trained once, to the bits that the sweep has on its own.
func TestWorkersShareASweep(t *testing.T) {
	t.Parallel()
	alone := trackertest.Open(t)
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    seeds: [1, 2, 3, 4]\n    each: {model: [rotate, sphere-2d]}\n")
	expect.NoError(t, s.Run(t.Context(), &experiments.Runner{Tracker: alone}, search.Options{}))
	var group sync.WaitGroup
	for range 3 {
		own := trackertest.OpenWith(t, trackertest.StoreOf(t, tr).URL(),
			tracker.Options{ArtifactDir: trackertest.StoreOf(t, tr).ArtifactRoot()})
		group.Go(func() {
			w := &Worker{Runner: &experiments.Runner{Tracker: own}, Drain: true, Poll: 10 * time.Millisecond}
			if err := w.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got, want := digests(t, s, tr), digests(t, s, alone); !slices.Equal(got, want) {
		t.Errorf("the checkpoints are %v, alone %v", got, want)
	}
	runs, err := tr.Runs(t.Context(), tracker.Filter{})
	if err != nil || len(runs) != len(s.Jobs) {
		t.Errorf("%d runs, %v; want %d", len(runs), err, len(s.Jobs))
	}
	if group := runtest.GroupOf(t, tr, runs); group.Status != "FINISHED" || group.Tags["runs"] != "8 finished" {
		t.Errorf("the sweep's own run is %+v", group)
	}
	// Enqueued again, nothing waits.
	done, err := s.Enqueue(t.Context(), &experiments.Runner{Tracker: tr})
	if err != nil || done.New != 0 || done.Done != len(s.Jobs) {
		t.Errorf("enqueued again: %+v, %v", done, err)
	}
}

// A worker that stands still longer than its lease is cut off: the next one resumes its run from the saved state, and
// what the first one does afterwards has no effect.
func TestWorkerThatStandsStill(t *testing.T) {
	t.Parallel()
	alone := trackertest.Open(t)
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n")
	expect.NoError(t, s.Run(t.Context(), &experiments.Runner{Tracker: alone}, search.Options{}))
	taken, ended := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var said []string
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}
	first := &Worker{Runner: &experiments.Runner{Tracker: tr, Progress: runtest.After(4, func() {
		// It stands still after its lease was taken from it. Its own clock does not know.
		_, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET lease_until = clock_timestamp()`)
		if err != nil {
			t.Error(err)
		}
		close(taken)
		<-ended
	})}, Name: "first", Drain: true, Lease: time.Hour, Say: say}
	done := make(chan error)
	go func() { done <- first.Run(context.Background()) }()
	<-taken
	other := trackertest.OpenWith(t, trackertest.StoreOf(t, tr).URL(),
		tracker.Options{ArtifactDir: trackertest.StoreOf(t, tr).ArtifactRoot()})
	second := &Worker{Runner: &experiments.Runner{Tracker: other}, Name: "second", Drain: true, Say: say}
	expect.NoError(t, second.Run(t.Context()))
	close(ended)
	expect.NoError(t, <-done)
	if got, want := digests(t, s, tr), digests(t, s, alone); !slices.Equal(got, want) {
		t.Errorf("the checkpoints are %v, alone %v", got, want)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"resuming run", "taken for the 2nd time", "another worker has it now"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what was said:\n%s", want, text)
		}
	}
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	if err != nil || jobs[0].Holder != "second" || jobs[0].State != tracker.JobDone {
		t.Errorf("the job is %+v, %v", jobs, err)
	}
	info, err := tr.FindRun(t.Context(), jobs[0].Run)
	if err != nil || info.Tags[answer.TagResumed] != "1" {
		t.Errorf("the run is %+v, %v", info, err)
	}
	if got, err := tr.History(t.Context(), info.ID, "loss"); err != nil || len(got) != 6 {
		t.Errorf("%d losses, %v; want one for each of 6 epochs", len(got), err)
	}
}

// A worker that is interrupted returns its job, and one whose sweep is canceled saves its run and takes no other
// job.
func TestWorkerIsStopped(t *testing.T) {
	t.Parallel()
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    seeds: [1, 2]\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &Worker{Runner: &experiments.Runner{Tracker: tr, Progress: runtest.After(2, cancel)}, Runs: 1, Drain: true}
	var stopped *experiments.InterruptedError
	if err := w.Run(ctx); !errors.As(err, &stopped) {
		t.Fatalf("the error is %v", err)
	}
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	if err != nil || jobs[0].State != tracker.JobWaiting || jobs[0].Losses != 0 || jobs[0].Run != stopped.RunID {
		t.Errorf("the jobs are %+v, %v", jobs, err)
	}
	w = &Worker{Runner: &experiments.Runner{Tracker: tr, Progress: runtest.After(4, func() {
		if n, err := trackertest.StoreOf(t, tr).CancelSweep(context.Background(), s.QueueName()); err != nil || n != 2 {
			t.Errorf("%d canceled, %v", n, err)
		}
		time.Sleep(300 * time.Millisecond) // until the lease is renewed
	})}, Runs: 1, Drain: true, Lease: 300 * time.Millisecond}
	expect.NoError(t, w.Run(t.Context()))
	info, err := tr.FindRun(t.Context(), stopped.RunID)
	if err != nil || info.Status != string(tracker.Killed) || !answer.CanResume(info) {
		t.Errorf("the run is %s, %v", info.Status, err)
	}
}

// A graph that is not on this machine, or is another one, ends the worker and not the job.
func TestWorkerWithoutTheGraph(t *testing.T) {
	t.Parallel()
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n")
	file := s.Jobs[0].Config().Data + "/train.txt"
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(file, append(raw, "a\tr0\tzz\n"...), 0o600))
	w := &Worker{Runner: &experiments.Runner{Tracker: tr}, Drain: true}
	if err := w.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "differs from those with which") {
		t.Errorf("the error is %v", err)
	}
	expect.NoError(t, os.RemoveAll(s.Jobs[0].Config().Data))
	if err := w.Run(t.Context()); err == nil {
		t.Error("a worker without the graph continues")
	}
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	if err != nil || jobs[0].State != tracker.JobWaiting || jobs[0].Failures != 0 {
		t.Errorf("the jobs are %+v, %v", jobs, err)
	}
}

// A training that diverges is tried once.
func TestJobThatDiverges(t *testing.T) {
	t.Parallel()
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    set: [train.learning_rate=1000, train.beta2=1e-9, train.adam_epsilon=1e-30]\n")
	w := &Worker{Runner: &experiments.Runner{Tracker: tr}, Drain: true}
	expect.NoError(t, w.Run(t.Context()))
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	if err != nil || jobs[0].State != tracker.JobFailed || jobs[0].Takes != 1 || !strings.Contains(jobs[0].Error, "failed") {
		t.Errorf("the jobs are %+v, %v", jobs, err)
	}
}
