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
	g.addQueue(queue)
	told := map[string]bool{}
	for _, job := range list {
		if job.Err != nil && !told[job.Err.Error()] {
			told[job.Err.Error()] = true
			g.Notes = append(g.Notes, note(job.Err.Error(), hint.Of(job.Err)...))
		}
	}
	return g
}

// addQueue says how far workers are, and which jobs failed.
func (g *Grid) addQueue(queue []tracker.Job) {
	if len(queue) == 0 {
		return
	}
	g.AddNote("%s", queueNote(queue))
	for _, job := range queue {
		if job.State == tracker.JobFailed {
			g.AddNote("%s failed: %s", job.Title, job.Error)
		}
	}
}

// queueNote says how far workers are with a sweep, and when they will have finished if the rest takes as long as what
// is done.
func queueNote(queue []tracker.Job) string {
	count := map[tracker.JobState]int{}
	var trained int
	var took time.Duration
	for _, job := range queue {
		count[job.State]++
		if job.State == tracker.JobDone && !job.Started.IsZero() && !job.Ended.IsZero() {
			trained++
			took += job.Ended.Sub(job.Started)
		}
	}
	text := fmt.Sprintf("queue: %d waiting, %d running, %d done, %d failed, %d canceled", count[tracker.JobWaiting],
		count[tracker.JobRunning], count[tracker.JobDone], count[tracker.JobFailed], count[tracker.JobCanceled])
	if open := count[tracker.JobWaiting] + count[tracker.JobRunning]; open > 0 && trained > 0 &&
		count[tracker.JobRunning] > 0 {
		left := took / time.Duration(trained) * time.Duration(open) / time.Duration(count[tracker.JobRunning])
		text += fmt.Sprintf("; about %s left at this pace", left.Round(time.Second))
	}
	return text
}
