package session

import (
	"context"
	"fmt"
	"math"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/tracker"
)

// Sweep trains the runs that a sweep's file lists, or searches for the best config, while the cell shows the run in
// progress and the results so far. set has key=value items that change a config key in every run.
//
//	s := lab.Sweep("search.yaml")
//	s.Best().Ask("Max Born", "advised", "?")
//
// Finished runs are not trained again: after an interrupt of the cell the same call continues.
func (s *Session) Sweep(file string, set ...string) *Sweep {
	sweep, err := search.Load(file, config.Layers{Set: set})
	check(err)
	out := &Sweep{session: s, sweep: sweep}
	board := &scoreboard{sweep: sweep}
	s.watch(nil, board.above, func(ctx context.Context, r *experiments.Runner, l *live) error {
		o := search.Options{Say: func(line string) { board.said = line }, Scored: board.recordScore}
		if s.o.Threads > 0 {
			o.Flags = []config.FlagValue{{Flag: "threads", Key: "threads", Value: fmt.Sprint(s.o.Threads)}}
		}
		board.said = sweep.Plan()
		if sweep.Search != nil {
			out.report, err = sweep.Search.Run(ctx, r, o)
			return err
		}
		o.Export = func(ctx context.Context, id string) (string, error) { return "", board.recordFinished(ctx, r, id) }
		if err := sweep.Run(ctx, r, o); err != nil {
			return err
		}
		out.list, err = sweep.Status(ctx, r)
		return err
	})
	return out
}

// Sweep is a sweep or a search that has ended.
type Sweep struct {
	session *Session
	sweep   *search.Sweep
	report  *search.Report  // of a search
	list    []search.Status // of a list of runs
}

// Best returns the run of a search's best config.
func (s *Sweep) Best() *Run {
	if s.report == nil {
		panic(fail(Failed, "%s lists runs and does not search, so it has no best config; Runs() returns its runs",
			s.sweep.QueueName()))
	}
	return s.session.run(s.session.context(), s.report.Winner[0])
}

// Runs returns the finished runs of a list, in its order; for a search those of the best config, by seed.
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

// String returns the table as text.
func (s *Sweep) String() string { return gridText(s.grid()) }

// Write writes the table to a file. The ending of the name chooses the format: .csv, .md, .tex, .html, .json or .txt.
func (s *Sweep) Write(path string) { writeGrid(path, func(string) *results.Grid { return s.grid() }) }

// scoreboard has the results of a sweep so far.
type scoreboard struct {
	sweep *search.Sweep
	said  string // the newest line of the sweep
	trial series // scores in the order in which they came
	best  series
	runs  []tracker.RunInfo // of a list, in the order in which they ended
}

// recordScore records the score of a trial.
func (b *scoreboard) recordScore(t *search.Trial) {
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

// recordFinished records the results of a finished run of a list.
func (b *scoreboard) recordFinished(ctx context.Context, r *experiments.Runner, id string) error {
	info, err := r.Tracker.FindRun(ctx, id)
	if err != nil {
		return err
	}
	if _, known := info.Metrics[results.HeadF1Key]; known {
		b.runs = append(b.runs, info)
	}
	return nil
}

// numbers returns a metric of the runs of a list, at one cut if their own cuts differ. A run without that cut has none.
func (b *scoreboard) numbers(name, metric string) chart.Series {
	cut, several := tracker.OneCut(tracker.CutsOf(b.runs, results.HeadF1Key), results.RankingCuts())
	if several {
		name += " @" + cut
	}
	line := series{}
	for i, run := range b.runs {
		value, known := run.Metrics[metric]
		if several {
			value, known = run.AtCut(metric, cut)
		}
		if known {
			line.add(i+1, value)
		}
	}
	return chart.Series{Name: name, X: line.x, Y: line.y}
}

// above returns what is shown above the run in progress: a line, and a chart of the results once there are two.
func (b *scoreboard) above() (title string, picture *chart.Chart) {
	if max(len(b.trial.x), len(b.runs)) < 2 {
		return b.said, nil
	}
	o := chart.Options{Title: "results so far", Width: 330, Height: 220}
	var first, second chart.Series
	if b.sweep.Search != nil {
		o.Title, o.XLabel = b.sweep.Search.Metric, "result"
		first = chart.Series{Name: "trial", X: b.trial.x, Y: b.trial.y}
		second = chart.Series{Name: "best so far", X: b.best.x, Y: b.best.y}
	} else {
		o.XLabel = "run"
		first, second = b.numbers("head F1", results.HeadF1Key), b.numbers("tail F1", "test/tail_f1")
	}
	c := chart.Line(o, first, second)
	return b.said, &c
}
