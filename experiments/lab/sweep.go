package lab

import (
	"context"
	"fmt"
	"math"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
)

// Sweep trains what a sweep's file lists, or searches for the best config as it says, while the cell shows the run in
// progress and the results so far. set changes a config key in every run, key=value.
//
//	s := lab.Sweep("search.yaml")
//	s.Best().Ask("Max Born", "advised", "?")
//
// What is finished is not trained again: after an interrupt of the cell the same call continues.
func (s *Session) Sweep(file string, set ...string) *Sweep {
	sweep, err := experiments.LoadSweep(file, experiments.Layers{Set: set})
	check(err)
	out := &Sweep{session: s, sweep: sweep}
	board := &scoreboard{sweep: sweep}
	s.watch(nil, board.above, func(ctx context.Context, r *experiments.Runner, l *live) error {
		o := experiments.SweepOptions{Say: func(line string) { board.said = line }, Scored: board.scored}
		if s.o.Threads > 0 {
			o.Flags = []experiments.FlagValue{{Flag: "threads", Key: "threads", Value: fmt.Sprint(s.o.Threads)}}
		}
		board.said = sweep.Plan()
		if sweep.Search != nil {
			out.report, err = sweep.Search.Run(ctx, r, o)
			return err
		}
		o.Export = func(ctx context.Context, id string) (string, error) { return "", board.finished(ctx, r, id) }
		if err := sweep.Run(ctx, r, o); err != nil {
			return err
		}
		out.list, err = sweep.Status(ctx, r)
		return err
	})
	return out
}

// Sweep is a sweep or a search that has come to its end.
type Sweep struct {
	session *Session
	sweep   *experiments.Sweep
	report  *experiments.SearchReport // of a search
	list    []experiments.JobStatus   // of a list of runs
}

// Best is the run of a search's best config.
func (s *Sweep) Best() *Run {
	if s.report == nil {
		panic(fail(Failed, "%s lists runs and does not search, so none of them is the best; Runs lists them",
			s.sweep.QueueName()))
	}
	return s.session.run(s.session.context(), s.report.Winner[0])
}

// Runs are the finished runs of a list, in its order; of a search the best config's, by seed.
func (s *Sweep) Runs() *RunList {
	ctx, l := s.session.context(), &RunList{}
	if s.report != nil {
		for _, id := range s.report.Winner {
			l.runs = append(l.runs, s.session.run(ctx, id))
		}
		return l
	}
	for _, job := range s.list {
		l.runs = append(l.runs, s.session.run(ctx, job.Run.ID))
	}
	return l
}

func (s *Sweep) grid() *results.Grid {
	if s.report != nil {
		return results.SearchGrid(s.report, nil)
	}
	return results.SweepGrid(s.list, nil)
}

// HTML shows the ranking of a search, or the list of runs, as a table in a notebook.
func (s *Sweep) HTML() string { return gridHTML(s.grid()) }

// String is the table as text.
func (s *Sweep) String() string { return gridText(s.grid()) }

// Write writes the table to a file, in the format that the end of its name says: .csv, .md, .tex, .html, .json or .txt.
func (s *Sweep) Write(path string) { writeGrid(path, func(string) *results.Grid { return s.grid() }) }

// scoreboard has the results of a sweep so far.
type scoreboard struct {
	sweep *experiments.Sweep
	said  string // the newest line of the sweep
	trial series // scores in the order in which they came; of a list head F1
	best  series
	tail  series // tail F1 of a list
}

// scored takes the score of a trial.
func (b *scoreboard) scored(t *experiments.SearchTrial) {
	at, score := len(b.trial.x)+1, t.Score()
	if math.IsNaN(score) {
		return
	}
	top := score
	if n := len(b.best.y); n > 0 {
		top = max(top, b.best.y[n-1])
	}
	b.trial.add(at, score)
	b.best.add(at, top)
}

// finished takes the results of a finished run of a list.
func (b *scoreboard) finished(ctx context.Context, r *experiments.Runner, id string) error {
	info, err := r.Tracker.FindRun(ctx, id)
	if err != nil {
		return err
	}
	head, known := info.Metrics["test/head_f1"]
	if at := len(b.trial.x) + 1; known {
		b.trial.add(at, head)
		b.tail.add(at, info.Metrics["test/tail_f1"])
	}
	return nil
}

// above is what stands above the run in progress: a line, and a chart of the results once there are two.
func (b *scoreboard) above() (title string, picture *chart.Chart) {
	if len(b.trial.x) < 2 {
		return b.said, nil
	}
	o := chart.Options{Title: "results so far", Width: 330, Height: 220}
	first, second := chart.Series{Name: "head F1", X: b.trial.x, Y: b.trial.y}, chart.Series{Name: "tail F1", X: b.tail.x,
		Y: b.tail.y}
	o.XLabel = "run"
	if b.sweep.Search != nil {
		o.Title, o.XLabel = b.sweep.Search.Metric, "result"
		first.Name, second = "trial", chart.Series{Name: "best so far", X: b.best.x, Y: b.best.y}
	}
	c := chart.Line(o, first, second)
	return b.said, &c
}
