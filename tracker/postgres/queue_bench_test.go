package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkQueue has four workers take SPHERELAB_BENCH_RUNS jobs (500) from one queue. The run of a job logs one param
// and one point, so that all time is the queue's and the tracker's. Of every job the time of taking it and of ending it
// is measured apart from its run: first-ms and last-ms are the medians of the first and the last tenth.
func BenchmarkQueue(b *testing.B) {
	const workers = 4
	ctx, n, uri := b.Context(), runsOfBench(b), trackertest.Database(b)
	trackers := make([]*postgres.Store, workers)
	for i := range trackers {
		trackers[i] = trackertest.StoreWith(b, uri, tracker.Options{})
	}
	for b.Loop() {
		jobs := make([]tracker.NewJob, n)
		for i := range jobs {
			jobs[i] = tracker.NewJob{Key: fmt.Sprint(i), Title: fmt.Sprintf("job %d", i), Config: "seed: 1"}
		}
		began := time.Now()
		if added, err := trackers[0].Enqueue(ctx, fmt.Sprintf("sweep-%d", b.N), jobs); err != nil || added != n {
			b.Fatalf("enqueued %d of %d: %v", added, n, err)
		}
		b.ReportMetric(time.Since(began).Seconds()*1e6/float64(n), "enqueue-us/job")
		began = time.Now()
		queued := make([][]time.Duration, workers) // by worker, in order
		fail := make(chan error, workers)
		var all sync.WaitGroup
		for w, t := range trackers {
			all.Go(func() {
				for {
					spent, err := trivialJob(b, t)
					if err != nil {
						fail <- err
						return
					}
					if spent == 0 {
						return
					}
					queued[w] = append(queued[w], spent)
				}
			})
		}
		all.Wait()
		close(fail)
		expect.NoError(b, <-fail)
		b.ReportMetric(time.Since(began).Seconds()*1e3/float64(n), "ms/run")
		var first, last []time.Duration
		total := 0
		for _, list := range queued {
			tenth := max(len(list)/10, 1)
			first = append(first, list[:min(tenth, len(list))]...)
			last = append(last, list[max(len(list)-tenth, 0):]...)
			total += len(list)
		}
		if total != n {
			b.Fatalf("%d jobs are done, want %d", total, n)
		}
		slices.Sort(first)
		slices.Sort(last)
		b.ReportMetric(first[len(first)/2].Seconds()*1e3, "first-ms")
		b.ReportMetric(last[len(last)/2].Seconds()*1e3, "last-ms")
	}
}

// trivialJob takes a job, logs its run and ends it. It returns the time of taking and ending, 0 with nothing to take.
func trivialJob(b *testing.B, t *postgres.Store) (time.Duration, error) {
	ctx, began := b.Context(), time.Now()
	lease, err := t.TakeJob(ctx, "bench", time.Minute)
	if err != nil || lease == nil {
		return 0, err
	}
	spent := time.Since(began)
	run, err := t.StartRun(ctx, tracker.RunSpec{Name: lease.Job.Title, Claim: lease.Claim(),
		Params: map[string]string{"seed": "1"}})
	if err != nil {
		return 0, err
	}
	if err := run.LogMetrics(1, map[string]float64{"loss": 1}); err != nil {
		return 0, err
	}
	if err := run.Finish(ctx, tracker.Finished); err != nil {
		return 0, err
	}
	began = time.Now()
	err = lease.Done(ctx, run.ID())
	return spent + time.Since(began), err
}
