package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestDivide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		machine             Machine
		runs, threads, open int
		need                int64
		want                Division
	}{
		{Machine{Cores: 1}, 0, 0, 9, 0, Division{1, 1}},
		{Machine{Cores: 8}, 0, 0, 9, 0, Division{8, 1}},
		{Machine{Cores: 8}, 0, 0, 3, 0, Division{3, 2}},                 // cores that are left make threads
		{Machine{Cores: 8}, 0, 0, 1, 0, Division{1, 8}},                 // the last run has them all
		{Machine{Cores: 8}, 0, 4, 9, 0, Division{2, 4}},                 // threads were asked for
		{Machine{Cores: 8}, 0, 16, 9, 0, Division{1, 16}},               // more than there are cores
		{Machine{Cores: 8}, 2, 0, 9, 0, Division{2, 4}},                 // runs were asked for
		{Machine{Cores: 8}, 16, 0, 1, 0, Division{16, 1}},               // more than there are cores or jobs
		{Machine{Cores: 8}, 3, 2, 1, 0, Division{3, 2}},                 // both
		{Machine{Cores: 8, Memory: 1000}, 0, 0, 9, 300, Division{3, 2}}, // what fits
		{Machine{Cores: 8, Memory: 1000}, 0, 0, 9, 5000, Division{1, 8}},
		{Machine{Cores: 8, Memory: 1000}, 4, 0, 9, 300, Division{4, 2}}, // the wish of a user comes first
		{Machine{Cores: 8, Memory: 1000}, 0, 0, 9, 0, Division{8, 1}},
	} {
		if got := c.machine.Divide(c.runs, c.threads, c.open, c.need); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c, got, c.want)
		}
	}
	m := Machine{Cores: 4}
	for _, fits := range [][2]int{{0, 0}, {4, 1}, {2, 2}, {9, 0}, {0, 9}, {1, 9}} {
		if err := m.Check(fits[0], fits[1]); err != nil {
			t.Errorf("%v: %v", fits, err)
		}
	}
	for want, wrong := range map[string][2]int{"-1 runs at once are too few": {-1, 0}, "-2 threads are too few": {0, -2},
		"3 runs at once with 2 threads each contradict this machine, which has 4 cores": {3, 2}} {
		if err := m.Check(wrong[0], wrong[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", wrong, err, want)
		}
	}
}

func TestHoldable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		free  int64
		known bool
		limit int64
		want  int64
	}{
		{0, false, math.MaxInt64, 0},
		{1000, true, math.MaxInt64, 500},
		{1000, true, 1000, 500},
		{1000, true, 800, 800}, // GOMEMLIMIT bounds garbage too
		{0, false, 800, 800},
		{0, true, math.MaxInt64, 1},
		{0, true, 800, 1},
		{1000, true, 0, 1},
	} {
		if got := holdable(c.free, c.known, c.limit); got != c.want {
			t.Errorf("%+v: %d bytes", c, got)
		}
	}
	full := Machine{Cores: 16, Memory: holdable(0, true, math.MaxInt64)}
	if got, want := full.Divide(0, 0, 16, 1<<30), (Division{1, 16}); got != want {
		t.Errorf("where nothing is free: %+v, want %+v", got, want)
	}
}

// TestNeed compares with the formula of docs/scale.md, and an eighth of memory for evaluations.
func TestNeed(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	for model, width := range map[string]int{"sphere-2d": 24, "sphere-3d": 36} {
		c := config.Default()
		c.Model, c.Dimension = model, 100 // 112 with padding
		n := g.Entities.Len()
		least := float64(n*(width*112+12) + 39*len(g.Train))
		if got := float64(need(c, g)); got < least*8/7 || got > least*8/7+1e6 { // relations are few
			t.Errorf("%s needs %v bytes, the formula gives %v", model, got, least*8/7)
		}
	}
}

// TestWorkerDividesItsMachine: a worker trains as many runs at once as it has chosen, to the bits of one after the
// other, and says what it has chosen.
func TestWorkerDividesItsMachine(t *testing.T) {
	t.Parallel()
	alone := trackertest.Open(t)
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    set: [threads=0]\n    seeds: [1, 2, 3, 4]\n")
	expect.NoError(t, s.Run(t.Context(), &experiments.Runner{Tracker: alone}, search.Options{}))
	var mu sync.Mutex
	var said []string
	w := &Worker{Runner: &experiments.Runner{Tracker: tr}, Drain: true, Machine: Machine{Cores: 6, Memory: 1 << 30},
		Say: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, line)
		}}
	// Nothing is written to the runs until four jobs are in progress.
	lock, err := trackertest.StoreOf(t, tr).DB().Beginx()
	expect.NoError(t, err)
	if _, err := lock.Exec(`LOCK TABLE public.runs IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- w.Run(t.Context()) }()
	for running := 0; running < 4; time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-done:
			t.Fatalf("the worker ended with %v; %d jobs were in progress at once", err, running)
		default:
		}
		if err := trackertest.StoreOf(t, tr).DB().Get(&running, `SELECT count(*) FROM spherelab.job WHERE state = 'running'`); err != nil {
			t.Fatal(err)
		}
	}
	expect.NoError(t, lock.Rollback())
	expect.NoError(t, <-done)
	if got, want := digests(t, s, tr), digests(t, s, alone); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the checkpoints are %v, one after the other %v", got, want)
	}
	text := strings.Join(said, "\n")
	if !strings.Contains(text, "worker: 4 runs at once, 1 thread each; this machine has 6 cores and 1074 MB of memory") {
		t.Errorf("the worker said\n%s", text)
	}
}

// TestWorkerStopsAllRuns: an interrupt returns every job that a worker has, and so does an error of the machine.
func TestWorkerStopsAllRuns(t *testing.T) {
	t.Parallel()
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    set: [train.epochs=2000, threads=0]\n    seeds: [1, 2, 3]\n")
	var w *Worker
	stopped := func() error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := 0
		w = &Worker{Runner: &experiments.Runner{Tracker: tr}, Drain: true, Machine: Machine{Cores: 3},
			Say: func(line string) {
				if strings.HasSuffix(line, ": training") || strings.Contains(line, ": resuming run") {
					if begun++; begun == 3 {
						cancel()
					}
				}
			}}
		return w.Run(ctx)
	}
	err := stopped()
	if _, interrupted := errors.AsType[*experiments.InterruptedError](err); !interrupted && !errors.Is(err,
		context.Canceled) {
		t.Errorf("the worker ended with %v", err)
	}
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	for _, job := range jobs {
		if job.State != tracker.JobWaiting || job.Losses != 0 || job.Failures != 0 || job.Takes != 1 {
			t.Errorf("after an interrupt %s is %s: %+v", job.Title, job.State, job)
		}
	}
	if w.crew.trainings != 0 || w.crew.held != 0 || len(w.crew.runners) != 0 {
		t.Errorf("the worker still has %d runs", w.crew.trainings)
	}
	// The third job is of another program: the worker cannot train it, and the two others go back.
	if _, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET key = 'another ' || key WHERE id = $1`, jobs[2].ID); err != nil {
		t.Fatal(err)
	}
	w = &Worker{Runner: &experiments.Runner{Tracker: tr}, Drain: true, Machine: Machine{Cores: 3}}
	if err := w.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "differs from those with which") {
		t.Errorf("the worker ended with %v", err)
	}
	jobs, err = trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	for _, job := range jobs {
		if job.State != tracker.JobWaiting || job.Losses != 0 || job.Failures != 0 {
			t.Errorf("after an error of the machine %s is %s: %+v", job.Title, job.State, job)
		}
	}
}

// TestWorkerKeepsWithinMemory: a training that does not fit next to another one waits for its end.
func TestWorkerKeepsWithinMemory(t *testing.T) {
	t.Parallel()
	_, tr := enqueued(t, "runs:\n  - config: small.yaml\n    seeds: [1, 2, 3]\n")
	w := &Worker{Runner: &experiments.Runner{Tracker: tr}, Machine: Machine{Cores: 8, Memory: 1000},
		store: trackertest.StoreOf(t, tr)}
	w.crew.divided = make(chan struct{}, 1)
	threads, first, err := w.begin(t.Context(), 400, 0)
	if err != nil || threads != 4 || w.crew.places() != 2 { // two of 400 bytes fit
		t.Fatalf("%d threads of %d runs, %v", threads, w.crew.places(), err)
	}
	began := make(chan func())
	go func() {
		_, end, err := w.begin(t.Context(), 700, 0)
		if err != nil {
			t.Error(err)
		}
		began <- end
	}()
	_, second, err := w.begin(t.Context(), 500, 0)
	expect.NoError(t, err)
	select {
	case <-began:
		t.Error("a training began that does not fit")
	default:
	}
	first()
	second()
	(<-began)()
	if w.crew.held != 0 || w.crew.trainings != 0 {
		t.Errorf("%d trainings hold %d bytes", w.crew.trainings, w.crew.held)
	}
}
