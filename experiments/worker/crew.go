package worker

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// crew has the jobs that a worker runs at once.
type crew struct {
	mu        sync.Mutex
	division  Division // of the trainings in progress; Runs is 0 until the first one has chosen it
	trainings int      // in progress
	held      int64    // memory that they need, in bytes
	runners   map[*experiments.Runner]bool
	leases    map[*postgres.Lease]bool
	freed     chan struct{} // closed when a training has ended; nil if nothing waits for that
	told      Division      // the last line that was said

	divided chan struct{} // receives an element when division is chosen
}

// places returns how many jobs the worker may have now: one, until the first training has read its graph.
func (c *crew) places() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(1, c.division.Runs)
}

// hold records that the worker has a job, or no longer has it.
func (c *crew) hold(lease *postgres.Lease, has bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !has {
		delete(c.leases, lease)
		return
	}
	if c.leases == nil {
		c.leases = map[*postgres.Lease]bool{}
	}
	c.leases[lease] = true
}

// jobs returns the ids of the worker's jobs.
func (c *crew) jobs() (ids []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for lease := range c.leases {
		ids = append(ids, lease.Job.ID)
	}
	return ids
}

// work takes jobs while there are places for them, until ctx ends, a job fails because of this machine, or with Drain
// nothing is left. It returns when no job is in progress.
func (w *Worker) work(ctx context.Context) error {
	own, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	busy, waiting, away := 0, false, false
	var failed error
	end := func(err error) {
		if err == nil {
			return
		}
		failed = cmp.Or(failed, err)
		if tracker.ErrorCode(err) != tracker.CodeUnavailable {
			stop() // the other jobs are saved and returned
		} else if busy > 0 { // trainings do not need the database
			w.say("worker: " + err.Error() + "; it takes no more jobs, and the runs in progress continue")
		}
	}
	for {
		for (own.Err() != nil || failed != nil) && busy > 0 || busy >= w.crew.places() {
			select {
			case err := <-ended:
				busy--
				end(err)
			case <-w.crew.divided:
			}
		}
		if own.Err() != nil || failed != nil {
			return cmp.Or(failed, ctx.Err())
		}
		lease, err := w.store.TakeJob(own, w.Name, w.Lease, w.crew.jobs()...)
		unavailable := busy > 0 && tracker.ErrorCode(err) == tracker.CodeUnavailable
		if unavailable && !away {
			w.say("worker: " + err.Error() + "; the runs in progress continue")
		}
		away = unavailable
		if err != nil && !away {
			if own.Err() == nil { // otherwise jobs report why
				end(err)
			}
			continue
		}
		if lease != nil {
			waiting = false
			busy++
			w.crew.hold(lease, true)
			go func() {
				err := w.do(own, lease)
				w.crew.hold(lease, false)
				ended <- err
			}()
			continue
		}
		if busy == 0 {
			open, err := w.open(own)
			if err != nil {
				if own.Err() == nil {
					end(err)
				}
				continue
			}
			if open == 0 && w.Drain {
				w.say("worker: nothing is left to do")
				return nil
			}
			if !waiting {
				w.say(fmt.Sprintf("worker: waiting for jobs; other workers have %d", open))
				waiting = true
			}
		}
		select {
		case <-own.Done():
		case err := <-ended:
			busy--
			end(err)
		case <-time.After(w.Poll):
		}
	}
}

// begin waits until a training fits next to those in progress, and returns its number of threads. The first training
// decides how the machine is divided. threads is that of its config, 0 for any. end must be called after the training.
func (w *Worker) begin(ctx context.Context, need int64, threads int) (own int, end func(), err error) {
	c, open := &w.crew, -1
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		isFull := c.trainings > 0 && w.Machine.Memory > 0 && c.held+need > w.Machine.Memory
		if !isFull && (c.trainings > 0 || open >= 0) {
			break
		}
		if c.freed == nil {
			c.freed = make(chan struct{})
		}
		freed := c.freed
		c.mu.Unlock()
		if isFull {
			select {
			case <-freed:
			case <-ctx.Done():
				err = ctx.Err()
			}
		} else {
			open, err = w.countWaiting(ctx)
		}
		c.mu.Lock()
		if err != nil {
			return 0, nil, err
		}
	}
	if c.trainings == 0 {
		asked := w.Threads
		if w.Runs == 0 {
			asked = cmp.Or(asked, min(threads, w.Machine.Cores))
		}
		c.division = w.Machine.Divide(w.Runs, asked, open+1, need)
		if c.told != c.division {
			c.told = c.division
			w.tell(c.division, need)
		}
		select {
		case c.divided <- struct{}{}:
		default: // work has not noticed the last one yet
		}
	}
	c.trainings++
	c.held += need
	own = c.division.Threads
	if w.Threads == 0 && threads > 0 {
		own = min(own, threads)
	}
	return own, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.trainings--
		c.held -= need
		if c.trainings == 0 {
			c.division = Division{}
		}
		if c.freed != nil {
			close(c.freed)
			c.freed = nil
		}
	}, nil
}

// tell prints how the machine is divided.
func (w *Worker) tell(d Division, need int64) {
	text := fmt.Sprintf("worker: %s at once, %s each; this machine has %s", quantity.Count(d.Runs, "run"),
		quantity.Count(d.Threads, "thread"), quantity.Count(w.Machine.Cores, "core"))
	if w.Machine.Memory > 0 {
		text += fmt.Sprintf(" and %s of memory for runs, of which one needs %s", megabytes(w.Machine.Memory), megabytes(need))
	}
	w.say(text)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", (bytes+999_999)/1_000_000) }

// countWaiting returns the number of trainings that workers could take now.
func (w *Worker) countWaiting(ctx context.Context) (n int, err error) {
	list, err := w.store.Sweeps(ctx)
	for _, s := range list {
		if !s.Paused {
			n += s.Trainings
		}
	}
	return n, err
}

// runner returns a runner for a job. done must be called when the job has ended. The tracker and the graphs are shared.
// If several runs are trained at once, only the worker's own lines are shown.
func (w *Worker) runner(lease *postgres.Lease) (r *experiments.Runner, done func()) {
	r = &experiments.Runner{Tracker: w.Runner.Tracker, DataDirs: w.Runner.DataDirs, Environment: w.Runner.Environment,
		Claim: lease.Claim()}
	if w.Runner.Progress != nil {
		r.Progress = turns{w}
	}
	c := &w.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runners == nil {
		c.runners = map[*experiments.Runner]bool{}
	}
	c.runners[r] = true
	return r, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.runners, r)
	}
}

// turns passes the events of runs to the progress of a worker, one run at a time.
type turns struct{ w *Worker }

// Event implements progress.Listener.
func (t turns) Event(e progress.Event) {
	if t.w.crew.places() > 1 && e.Event != progress.Note {
		return
	}
	t.w.speaking.Lock()
	defer t.w.speaking.Unlock()
	t.w.Runner.Progress.Event(e)
}

// say prints a line, never in the middle of another run's event.
func (w *Worker) say(line string) {
	if w.Say == nil {
		return
	}
	w.speaking.Lock()
	defer w.speaking.Unlock()
	w.Say(line)
}

// Abandon is Runner.Abandon for every run of the worker.
func (w *Worker) Abandon() (hints []hint.Hint) {
	w.crew.mu.Lock()
	var list []*experiments.Runner
	for r := range w.crew.runners {
		list = append(list, r)
	}
	w.crew.mu.Unlock()
	each := make([][]hint.Hint, len(list))
	var all sync.WaitGroup
	for i, r := range list {
		all.Go(func() { each[i] = r.Abandon() })
	}
	all.Wait()
	for _, some := range each {
		hints = append(hints, some...)
	}
	return hints
}
