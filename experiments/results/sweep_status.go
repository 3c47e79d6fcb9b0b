package results

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// SweepGrid lists the jobs of a sweep, and what workers do with those that are in the queue.
func SweepGrid(list []experiments.JobStatus, queue []tracker.Job) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "config"}, {Key: "seed", Right: true},
		{Key: "state"}, {Key: "name"}}}
	enqueued := map[string]tracker.Job{}
	for _, job := range queue {
		enqueued[job.Key] = job
	}
	if len(queue) > 0 {
		g.Columns = append(g.Columns, Column{Key: "queue"}, Column{Key: "worker"})
	}
	count := map[experiments.JobState]int{}
	for _, job := range list {
		count[job.State]++
		id, state := job.Run.ID, string(job.State)
		if Read(job.Run).Imported {
			state += " (imported)"
		}
		row := []string{id, job.Name, strconv.FormatUint(job.Config.Seed, 10), state, job.Run.Name}
		if len(queue) > 0 {
			in := enqueued[job.Key]
			row = append(row, string(in.State), in.Holder)
		}
		g.Rows = append(g.Rows, row)
	}
	g.AddNote("%d of %d done, %d started, %d missing", count[experiments.JobDone], len(list),
		count[experiments.JobStarted],
		count[experiments.JobMissing]+count[experiments.JobBlocked])
	if n := count[experiments.JobDiverged]; n > 0 {
		g.AddNote("%d diverged and would again; their configs need a change", n)
	}
	best, metrics := experiments.BestSoFar(list)
	for i, job := range best {
		g.AddNote("best so far on %s by %s, %s: %s (run %s)", job.Config.Data, metrics[i],
			validationText(metrics[i], job.Run.Metrics[metrics[i]]), job.Title(), tracker.ShortID(job.Run.ID))
	}
	if len(queue) == 0 {
		if left := alone(list); left > 0 {
			g.AddNote("about %s left, one run after the other at the pace of those that are finished", durationText(left))
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

// alone is how long the rest of a sweep takes without workers if a run takes as long as those that are finished; 0 if
// that is unknown or nothing is left.
func alone(list []experiments.JobStatus) time.Duration {
	var took time.Duration
	done, left := 0, 0
	for _, job := range list {
		switch {
		case job.State == experiments.JobStarted || job.State == experiments.JobMissing:
			left++
		case job.State == experiments.JobDone && measured(job.Run):
			done++
			took += job.Run.End.Sub(job.Run.Start)
		}
	}
	if done == 0 {
		return 0
	}
	return took / time.Duration(done) * time.Duration(left)
}

// measured reports whether the time from a run's start to its end is that of its work: a resumed run paused between.
func measured(info tracker.RunInfo) bool {
	run := Read(info)
	return !run.Imported && run.Resumed == 0 && info.End.After(info.Start)
}

// addQueue says how far workers are, how long the rest takes (0: unknown), and which jobs failed.
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

// durationText leaves out what an estimate does not know.
func durationText(d time.Duration) string {
	switch {
	case d > 100*time.Hour:
		return d.Round(time.Hour).String()
	case d > 10*time.Minute:
		return d.Round(time.Minute).String()
	}
	return max(d.Round(time.Second), time.Second).String()
}

// trained is how many trainings of a queue are done, how long they took, and how many are in progress or wait.
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

// timeLeft is when workers will have finished if the rest takes as long as what is done; 0 if that is unknown, or no
// worker is there.
func timeLeft(queue []tracker.Job) time.Duration {
	done, took, running, waiting := trained(queue)
	if done == 0 || running == 0 {
		return 0
	}
	return took / time.Duration(done) * time.Duration(running+waiting) / time.Duration(running)
}

// searchLeft is timeLeft of a search, most of whose jobs are not in the queue yet: by epochs.
func searchLeft(queue []tracker.Job, epochs, most int) time.Duration {
	_, took, running, _ := trained(queue)
	if epochs == 0 || running == 0 {
		return 0
	}
	return time.Duration(float64(took) / float64(epochs) * float64(most-epochs) / float64(running))
}
