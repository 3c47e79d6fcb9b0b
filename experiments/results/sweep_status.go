package results

import (
	"strconv"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/hint"
)

// SweepGrid lists the jobs of a sweep.
func SweepGrid(list []experiments.JobStatus) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "config"}, {Key: "seed", Right: true},
		{Key: "state"},
		{Key: "name"}}}
	count := map[experiments.JobState]int{}
	for _, job := range list {
		count[job.State]++
		id, state := job.Run.ID, string(job.State)
		if Read(job.Run).Imported {
			state += " (imported)"
		}
		g.Rows = append(g.Rows, []string{id, job.Name, strconv.FormatUint(job.Config.Seed, 10), state, job.Run.Name})
	}
	g.AddNote("%d of %d done, %d started, %d missing", count[experiments.JobDone], len(list),
		count[experiments.JobStarted],
		count[experiments.JobMissing]+count[experiments.JobBlocked])
	if n := count[experiments.JobDiverged]; n > 0 {
		g.AddNote("%d diverged and would again; their configs need a change", n)
	}
	told := map[string]bool{}
	for _, job := range list {
		if job.Err != nil && !told[job.Err.Error()] {
			told[job.Err.Error()] = true
			g.Notes = append(g.Notes, note(job.Err.Error(), hint.Of(job.Err)...))
		}
	}
	return g
}
