// Package worker takes jobs of sweeps from the tracker's queue and trains them, several at once if the machine has
// room.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// jobTries is how often a failing job is tried, holdOff how long it waits between tries.
const (
	jobTries = 3
	holdOff  = 30 * time.Second
)

// Worker trains enqueued jobs, as many at once as fit on its machine. Several workers, on any machines that reach the
// database and the folder of artifacts, share a queue. If a worker dies, others resume its runs from their last saved
// states, with the same bits.
type Worker struct {
	Runner  *experiments.Runner // for this worker alone
	Name    string              // for people; "": machine and process number
	Lease   time.Duration       // a worker that is silent for this long loses its jobs; 0: 1 minute
	Poll    time.Duration       // between looks at an empty queue; 0: 2 s
	Drain   bool                // end when every sweep that is not paused is done, instead of waiting for more jobs
	Runs    int                 // trained at once; 0: chosen by Machine.Divide
	Threads int                 // of each run; 0: chosen by Machine.Divide
	Machine Machine             // what this worker may use; without Cores ThisMachine
	Say     func(string)        // receives a line for every step; may be nil

	crew     crew
	searches search.Memories
	speaking sync.Mutex // calls of Say and of Runner.Progress

	store      *postgres.Store // with the queue
	refreshing sync.Mutex
	refreshed  time.Time // when this worker last stored the state of a sweep
}

// errLost and errCanceled end the work on a job that no longer belongs to this worker.
var (
	errLost     = errors.New("another worker has the job")
	errCanceled = errors.New("the job was canceled")
)

// Run works until ctx ends, which saves the runs in progress and returns their jobs, or with Drain until there is
// nothing left. A job that fails is tried again later. An error of this machine, such as a missing graph, ends the
// worker and returns its jobs. Run may be called only once.
func (w *Worker) Run(ctx context.Context) error {
	w.Name = cmp.Or(w.Name, postgres.WorkerName())
	w.Lease = cmp.Or(w.Lease, time.Minute)
	w.Poll = cmp.Or(w.Poll, 2*time.Second)
	if w.Machine.Cores == 0 {
		w.Machine = ThisMachine()
	}
	if err := w.Machine.Check(w.Runs, w.Threads); err != nil {
		return err
	}
	w.crew.divided = make(chan struct{}, 1)
	store, err := postgres.Of(w.Runner.Tracker)
	if err != nil {
		return err
	}
	w.store = store
	return w.work(ctx)
}

// open returns the number of jobs that have not ended, of sweeps that are not paused.
func (w *Worker) open(ctx context.Context) (n int, err error) {
	list, err := w.store.Sweeps(ctx)
	for _, s := range list {
		if !s.Paused {
			n += s.Open()
		}
	}
	return n, err
}

// do works on one job and ends its lease. Its error is one of the worker, not of the job.
func (w *Worker) do(ctx context.Context, lease *postgres.Lease) error {
	where := fmt.Sprintf("job %d of %s: %s", lease.Job.ID, lease.Job.Sweep, lease.Job.Title)
	if lease.Job.Takes > 1 && lease.Job.Kind == tracker.JobRun {
		where += fmt.Sprintf(" (taken for the %s time)", ordinal(lease.Job.Takes))
	}
	own, stop := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		keep(own, lease, w.Lease/3, stop, func(err error) {
			w.say(fmt.Sprintf("%s: its lease cannot be renewed, so another worker may take it in %v: %v", where,
				w.Lease, err))
		})
	}()
	began := time.Now()
	var run string
	var err error
	if lease.Job.Kind == tracker.JobSearch {
		run, err = w.search(own, lease, where)
	} else {
		run, err = w.train(own, lease, where)
	}
	stop(nil)
	<-kept

	// The job is returned or ended even if ctx has ended.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	var stopped *experiments.InterruptedError
	cause := context.Cause(own)
	switch {
	case errors.Is(cause, errLost), tracker.ErrorCode(err) == tracker.CodeFenced:
		w.say(where + ": another worker has it now, and finishes its run")
		return nil
	case errors.Is(cause, errCanceled):
		w.say(where + ": taken out of the queue; its run is saved")
		return nil
	case errors.Is(err, errSearching):
		// The trainings of a search come first, and it must not take the workers' time.
		return unlessTaken(lease.Release(after, max(w.Poll, 4*time.Since(began))))
	case err == nil:
		return w.endJob(after, lease, run, where)
	case experiments.Asked(err) && ctx.Err() == nil: // the other jobs wait for this worker
		w.say(where + ": stopped, as somebody asked; its run is saved")
		return cmp.Or(unlessTaken(lease.Fail(after, err, 1, 0)), w.refresh(after, lease))
	case errors.As(err, &stopped), ctx.Err() != nil:
		w.say(where + ": stopped; another worker continues from here")
		return errors.Join(err, unlessTaken(lease.Release(after, 0)))
	case tracker.ErrorCode(err) == tracker.CodeBusy: // another program trains the same config without this job
		w.say(where + ": " + err.Error())
		return unlessTaken(lease.Release(after, holdOff))
	case ofMachine(err):
		return errors.Join(err, unlessTaken(lease.Release(after, holdOff)))
	}
	tries := jobTries
	if search.WouldFailAgain(err) {
		tries = 1
	}
	w.say(where + ": failed: " + err.Error())
	return cmp.Or(unlessTaken(lease.Fail(after, err, tries, holdOff)), w.refresh(after, lease))
}

// refreshEvery is the least time between two looks at a whole sweep that has not ended.
const refreshEvery = 30 * time.Second

// refresh stores the state of a sweep in its run in the tracker: at its end, and at intervals before.
func (w *Worker) refresh(ctx context.Context, lease *postgres.Lease) error {
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
	if time.Since(w.refreshed) < refreshEvery {
		list, err := w.store.Sweeps(ctx)
		if err != nil || slices.ContainsFunc(list, func(s tracker.SweepState) bool {
			return s.Name == lease.Job.Sweep && s.Open() > 0
		}) {
			return err
		}
	}
	w.refreshed = time.Now()
	return search.Refresh(ctx, w.Runner.Tracker, lease.Job.Sweep)
}

// machineError is an error of this machine: the job may succeed elsewhere.
type machineError struct{ error }

func (e machineError) Unwrap() error { return e.error }

// ofMachine reports whether an error is of this machine and not of the job: no graph, no database, no disk.
func ofMachine(err error) bool {
	_, ofMachine := errors.AsType[machineError](err)
	_, ofPath := errors.AsType[*fs.PathError](err)
	return ofMachine || ofPath || tracker.ErrorCode(err) == tracker.CodeUnavailable || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS)
}

// endJob ends the job of a finished run, once the tracker has the run's end.
func (w *Worker) endJob(ctx context.Context, lease *postgres.Lease, run, where string) error {
	// A run that ended while the database was away waits in its spool.
	if _, err := w.Runner.Tracker.ReplaySpools(ctx); err != nil {
		return err
	}
	info, err := w.Runner.Tracker.FindRun(ctx, run)
	if err != nil {
		return err
	}
	if info.Status != string(tracker.Finished) && lease.Job.Until == 0 {
		w.say(where + ": its end could not be stored; another worker ends it")
		return unlessTaken(lease.Release(ctx, 0))
	}
	if err := lease.Done(ctx, run); err != nil {
		return unlessTaken(err)
	}
	if err := w.refresh(ctx, lease); err != nil {
		return err
	}
	w.say(fmt.Sprintf("%s: done (run %s)", where, tracker.ShortID(run)))
	if lease.Job.Until > 0 { // by now another worker may be training the run, in a folder that info does not know
		return nil
	}
	if err := w.store.DropOlder(ctx, info); err != nil { // a worker that was cut off may still write there
		w.say(where + ": older artifacts stay: " + err.Error())
	}
	return nil
}

// unlessTaken drops the error of ending a lease that another worker has, or whose job was canceled.
func unlessTaken(err error) error {
	if code := tracker.ErrorCode(err); code == tracker.CodeFenced || code == tracker.CodeCanceled {
		return nil
	}
	return err
}

// keep renews a lease until ctx ends. It stops the work if the lease is lost. While the database is away no worker can
// take the job, so the work continues. Any other failure to renew is reported once, until a renewal succeeds again.
func keep(ctx context.Context, lease interface{ Renew(context.Context) error }, every time.Duration,
	stop context.CancelCauseFunc, report func(error)) {
	reported := false
	for pause := every; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		renewing, end := context.WithTimeout(ctx, every) // a dead connection would wait for many minutes
		err := lease.Renew(renewing)
		end()
		pause = untilRenewal(err, every)
		switch {
		case err == nil:
			reported = false
		case ctx.Err() != nil:
			return
		case tracker.ErrorCode(err) == tracker.CodeFenced:
			stop(errLost)
			return
		case tracker.ErrorCode(err) == tracker.CodeCanceled:
			stop(errCanceled)
			return
		case tracker.ErrorCode(err) == tracker.CodeUnavailable, errors.Is(err, context.DeadlineExceeded), reported:
		default:
			reported = true
			report(err)
		}
	}
}

// untilRenewal returns the time until the next renewal of a lease, given the error of the last one. During an outage a
// lease may run out, so the first moment after the outage counts: another worker may take the job.
func untilRenewal(err error, every time.Duration) time.Duration {
	if tracker.ErrorCode(err) == tracker.CodeUnavailable {
		return min(every, time.Second)
	}
	return every
}

// train brings the job's run to its end and returns its id.
func (w *Worker) train(ctx context.Context, lease *postgres.Lease, where string) (run string, err error) {
	checked, err := config.Parse(fmt.Sprintf("job %d", lease.Job.ID), []byte(lease.Job.Config))
	if err != nil {
		return "", err
	}
	c := checked.Config()
	g, err := c.Graph(w.Runner.DataDirs)
	if err != nil {
		return "", machineError{fmt.Errorf("%s: %w", where, err)}
	}
	job := search.Job{Name: lease.Job.Title, Checked: checked, Until: lease.Job.Until}
	if job.QueueKey(g) != lease.Job.Key {
		return "", machineError{fmt.Errorf("%s: graph %s or the program here differs from those with which the sweep was "+
			"enqueued; this worker has graph digest %s; use the same graph and program, or cancel the sweep and enqueue it here", where,
			g.Name, tracker.ShortID(g.Digest()))}
	}
	threads, end, err := w.begin(ctx, need(c, g), c.Threads)
	if err != nil {
		return "", err
	}
	defer end()
	c.Threads = threads
	if job.Checked, err = c.Check(); err != nil {
		return "", err
	}
	r, done := w.runner(lease)
	defer done()
	o := search.Options{Say: w.say, Flags: []config.FlagValue{{Flag: "threads", Key: "threads", Value: strconv.Itoa(threads)}}}
	return job.Train(ctx, r, lease.Job.Sweep, where, o)
}

// errSearching is the error of a search that has not ended: other jobs come first.
var errSearching = errors.New("the search has not ended")

// search enqueues what a search needs next. At its end it returns the run of the best config.
func (w *Worker) search(ctx context.Context, lease *postgres.Lease, where string) (run string, err error) {
	s, err := search.ParseJob(lease.Job)
	if err != nil {
		return "", err
	}
	g, err := s.Graph(w.Runner.DataDirs)
	if err != nil {
		return "", machineError{fmt.Errorf("%s: %w", where, err)}
	}
	added, run, err := w.searches.Advance(ctx, w.Runner, s, g, lease.Job)
	if added > 0 {
		w.say(fmt.Sprintf("%s: enqueued %d more", where, added))
	}
	if err == nil && run == "" {
		err = errSearching
	}
	return run, err
}

// ordinal writes 2 as "2nd".
func ordinal(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return fmt.Sprint(n) + ending
}
