package results

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// SweepGrid returns the jobs of a sweep, and the state of those in the queue.
func SweepGrid(list []search.Status, queue []tracker.Job) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "config"}, {Key: "seed", Right: true},
		{Key: "state"}, {Key: "name"}}}
	enqueued := map[string]tracker.Job{}
	for _, job := range queue {
		enqueued[job.Key] = job
	}
	if len(queue) > 0 {
		g.Columns = append(g.Columns, Column{Key: "queue"}, Column{Key: "worker"})
	}
	count := map[search.State]int{}
	for _, job := range list {
		count[job.State]++
		id, state := job.Run.ID, string(job.State)
		if Read(job.Run).Imported {
			state += " (imported)"
		}
		row := []string{id, job.Name, strconv.FormatUint(job.Config().Seed, 10), state, job.Run.Name}
		if len(queue) > 0 {
			in := enqueued[job.Key]
			row = append(row, string(in.State), in.Holder)
		}
		g.Rows = append(g.Rows, row)
	}
	g.AddNote("%d of %d done, %d started, %d missing", count[search.Done], len(list),
		count[search.Started],
		count[search.Missing]+count[search.Blocked])
	if n := count[search.Diverged]; n > 0 {
		g.AddNote("%d diverged and would diverge again; change their configs", n)
	}
	best, metrics := search.BestSoFar(list)
	for i, job := range best {
		g.AddNote("best so far on %s by %s, %s: %s (run %s)", job.Config().Data, metrics[i],
			validationText(metrics[i], job.Run.Metrics[metrics[i]]), job.Title(), tracker.ShortID(job.Run.ID))
	}
	if len(queue) == 0 {
		if left := alone(list); left > 0 {
			g.AddNote("about %s left, one run after the other at the pace of the finished ones", durationText(left))
		}
	}
	g.addQueue(queue, timeLeft(queue))
	told := map[string]bool{}
	for _, job := range list {
		if job.Err != nil && !told[job.Err.Error()] {
			told[job.Err.Error()] = true
			g.Notes = append(g.Notes, note(job.Err.Error(), hint.Of(job.Err)...))
		}
	}
	return g
}

// alone returns how long the rest of a sweep takes without workers, if each run takes as long as the finished ones; 0
// if that is unknown or nothing is left.
func alone(list []search.Status) time.Duration {
	var took time.Duration
	done, left := 0, 0
	for _, job := range list {
		switch {
		case job.State == search.Started || job.State == search.Missing:
			left++
		case job.State == search.Done && measured(job.Run):
			done++
			took += job.Run.End.Sub(job.Run.Start)
		}
	}
	if done == 0 {
		return 0
	}
	return took / time.Duration(done) * time.Duration(left)
}

// measured reports whether the time from a run's start to its end was all work. A resumed run also paused.
func measured(info tracker.RunInfo) bool {
	run := Read(info)
	return !run.Imported && run.Resumed == 0 && info.End.After(info.Start)
}

// addQueue adds notes on how far workers are, how long the rest takes (0: unknown), and which jobs failed.
func (g *Grid) addQueue(queue []tracker.Job, left time.Duration) {
	if len(queue) == 0 {
		return
	}
	count := map[tracker.JobState]int{}
	for _, job := range queue {
		count[job.State]++
	}
	text := fmt.Sprintf("queue: %d waiting, %d running, %d done, %d failed, %d canceled", count[tracker.JobWaiting],
		count[tracker.JobRunning], count[tracker.JobDone], count[tracker.JobFailed], count[tracker.JobCanceled])
	if left > 0 {
		text += fmt.Sprintf("; about %s left at this pace", durationText(left))
	}
	g.AddNote("%s", text)
	for _, job := range queue {
		if job.State == tracker.JobFailed {
			g.AddNote("%s failed: %s", job.Title, job.Error)
		}
	}
}

// durationText rounds a duration to the precision of an estimate.
func durationText(d time.Duration) string {
	switch {
	case d > 100*time.Hour:
		return d.Round(time.Hour).String()
	case d > 10*time.Minute:
		return d.Round(time.Minute).String()
	}
	return max(d.Round(time.Second), time.Second).String()
}

// trained returns how many trainings of a queue are done, how long they took, and how many are in progress or waiting.
func trained(queue []tracker.Job) (done int, took time.Duration, running, waiting int) {
	for _, job := range queue {
		switch {
		case job.Kind == tracker.JobSearch:
		case job.State == tracker.JobDone && !job.Started.IsZero() && !job.Ended.IsZero():
			done++
			took += job.Ended.Sub(job.Started)
		case job.State == tracker.JobRunning:
			running++
		case job.State == tracker.JobWaiting:
			waiting++
		}
	}
	return done, took, running, waiting
}

// timeLeft returns how long workers need for the rest, if each training takes as long as the finished ones; 0 if that
// is unknown or there is no worker.
func timeLeft(queue []tracker.Job) time.Duration {
	done, took, running, waiting := trained(queue)
	if done == 0 || running == 0 {
		return 0
	}
	return took / time.Duration(done) * time.Duration(running+waiting) / time.Duration(running)
}

// searchLeft is timeLeft for a search, whose jobs are mostly not in the queue yet. It estimates by epochs.
func searchLeft(queue []tracker.Job, epochs, maxEpochs int) time.Duration {
	_, took, running, _ := trained(queue)
	if epochs == 0 || running == 0 {
		return 0
	}
	return time.Duration(float64(took) / float64(epochs) * float64(maxEpochs-epochs) / float64(running))
}
