package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Report is what a search has found, also before its end.
type Report struct {
	Search *Search
	Trials []*Trial       // ranked: those that were trained longest first, and of equally long ones the best
	Whole  bool           // every trial is trained
	Best   *config.Config // of the first trial, with the final evaluation of the config; nil before the end
	Winner []string       // ids of the finished runs of Best, by seed
	Epochs int            // trained so far, without those of trials that failed
	Most   int            // epochs that are trained in all, at most
}

// ValueOfConfig is what the config that the search began with has for a key.
func (r *Report) ValueOfConfig(key string) string { return r.Search.base.Config().Flatten()[key] }

// count fills Epochs and Most.
func (r *Report) count() {
	r.Most = r.Search.epochs()
	for _, t := range r.Trials {
		r.Epochs += t.Epochs * len(r.Search.Seeds)
	}
	r.Epochs = min(r.Epochs+r.Search.base.Config().Train.Epochs*len(r.Winner), r.Most)
	if r.Ended() {
		r.Epochs = r.Most
	}
}

// searcher works on one search.
type searcher struct {
	*Search
	r     *experiments.Runner
	o     Options
	graph *kg.Graph
	base  config.Checked // settled
	train bool           // false: only look at what is in the tracker
	group *sweepGroup

	memory  *searchMemory
	missing []Job // what would have to be trained now, if train is false
}

// errUntrained is the error if something would have to be trained.
var errUntrained = errors.New("not trained yet")

// Run trains what is missing of the search and then the best config, with its final evaluation. Trials have none. A
// search that was interrupted continues with the same trials, and nothing is trained twice.
func (s *Search) Run(ctx context.Context, r *experiments.Runner, o Options) (*Report, error) {
	report, _, err := s.work(ctx, r, o, true, newSearchMemory())
	return report, err
}

// Status is what the tracker has of the search.
func (s *Search) Status(ctx context.Context, r *experiments.Runner) (*Report, error) {
	report, _, err := s.look(ctx, r, newSearchMemory())
	return report, err
}

// look is Status, and what would have to be trained now. It reads what is not in memory.
func (s *Search) look(ctx context.Context, r *experiments.Runner, memory *searchMemory) (*Report, []Job, error) {
	return s.work(ctx, r, Options{}, false, memory)
}

func (s *Search) work(
	ctx context.Context, r *experiments.Runner, o Options, train bool, memory *searchMemory,
) (report *Report, missing []Job, err error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	g, err := s.base.Config().Graph(r.DataDirs)
	if err != nil {
		return nil, nil, err
	}
	base, err := r.Settle(ctx, s.base, g)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkOn(g, base); err != nil {
		return nil, nil, err
	}
	w := &searcher{Search: s, r: r, o: o, graph: g, base: base, train: train, memory: memory,
		group: newSweepGroup(r.Tracker, s.Name, s.content, o.Say)}
	w.group.metrics = []string{s.Metric}
	if train {
		defer func() { w.group.end(ctx, err) }()
	}
	report = &Report{Search: s}
	defer report.count()
	rungs := append(slices.Clone(s.Rungs), base.Config().Train.Epochs)
	err = w.draw(ctx, report, rungs[0])
	if err == nil {
		err = w.climb(ctx, report, rungs)
	}
	report.Trials = ranked(report.Trials, len(s.Rungs) > 0)
	switch {
	case errors.Is(err, errUntrained):
		return report, w.missing, nil
	case err != nil:
		return report, nil, err
	}
	report.Whole = true
	err = w.finish(ctx, report)
	return report, w.missing, err
}

// draw draws the trials, batch by batch, and trains each to the first rung. The trials of a batch are drawn without the
// results of each other. The first one is the config itself.
func (w *searcher) draw(ctx context.Context, report *Report, epochs int) error {
	const patience = 200 // a point that is drawn again is left out; in a small space all are drawn some time
	known := map[string]bool{}
	var seen []seenPoint
	for next, again := 0, 0; len(report.Trials) < w.Trials && again < patience; {
		var batch []*Trial
		if next == 0 && len(report.Trials) == 0 {
			first, err := w.trial(1, nil, nil)
			if err != nil {
				return err
			}
			known[first.identity] = true
			batch = append(batch, first)
		} else if spent, err := w.spent(ctx, report, epochs); err != nil || w.Hours > 0 && spent >= w.Hours {
			return err
		}
		for left := w.Trials - len(report.Trials); len(batch) < min(w.Batch, left) && again < patience; next++ {
			if w.Method == "grid" && next == w.Space.Size() {
				again = patience
				break
			}
			u := w.memory.draw(w.method, next, seen)
			t, err := w.trial(len(report.Trials)+len(batch)+1, w.Space.Point(u), u)
			if err != nil {
				return err
			}
			hash := t.identity
			if known[hash] {
				again++
				continue
			}
			known[hash], again = true, 0
			batch = append(batch, t)
		}
		report.Trials = append(report.Trials, batch...)
		if err := w.bringAll(ctx, batch, epochs); err != nil {
			return err
		}
		for _, t := range batch {
			if t.u != nil {
				seen = append(seen, seenPoint{U: t.u, Score: t.Score()})
			}
		}
	}
	return nil
}

// bringAll trains several trials to the given number of epochs. If nothing may be trained it only reads what they have
// logged.
func (w *searcher) bringAll(ctx context.Context, trials []*Trial, epochs int) error {
	var missing error
	for _, t := range trials {
		switch err := w.trainTo(ctx, t, epochs); {
		case errors.Is(err, errUntrained):
			missing = err
		case err != nil:
			return err
		}
	}
	return missing
}

// spent is how many hours the trials were trained to the first rung, 0 without a limit. What came after it is left out,
// so that the search has the same trials whenever it is looked at. An epoch that was trained again after a kill counts
// once.
func (w *searcher) spent(ctx context.Context, report *Report, epochs int) (hours float64, err error) {
	if w.Hours == 0 {
		return 0, nil
	}
	for _, t := range report.Trials {
		for _, id := range t.Runs {
			if before, known := w.memory.hours[id]; known {
				hours += before
				continue
			}
			own := 0.0
			points, err := w.r.Tracker.History(ctx, id, "system/epoch_seconds")
			if err != nil {
				return 0, err
			}
			counted := map[int64]bool{}
			for _, p := range points {
				if p.Step <= int64(epochs) && !counted[p.Step] {
					counted[p.Step] = true
					own += p.Value / 3600
				}
			}
			w.memory.hours[id] = own
			hours += own
		}
	}
	return hours, nil
}

// climb trains the best trials of each rung to the next one.
func (w *searcher) climb(ctx context.Context, report *Report, rungs []int) error {
	left := report.Trials
	for _, epochs := range rungs[1:] {
		scores := make([]float64, len(left))
		for i, t := range left {
			scores[i] = t.Score()
		}
		var next []*Trial
		for _, i := range promote(scores, w.Keep) {
			next = append(next, left[i])
		}
		if err := w.bringAll(ctx, next, epochs); err != nil {
			return err
		}
		left = next
	}
	return nil
}

// errNoTrial is the error of a search without a best config.
var errNoTrial = errors.New("every trial failed")

// finish trains the best config with its final evaluation.
func (w *searcher) finish(ctx context.Context, report *Report) error {
	if len(report.Trials) == 0 || math.IsNaN(report.Trials[0].Score()) {
		return fmt.Errorf("search %s: %w; the first: %s", w.Name, errNoTrial, report.Trials[0].Failed)
	}
	for _, seed := range w.Seeds {
		c := w.base.Config()
		if err := c.SetItems(report.Trials[0].Items, "search "+w.Name); err != nil {
			return err
		}
		c.Seed = seed
		if report.Best == nil {
			report.Best = c.Clone()
		}
		tags := map[string]string{answer.TagSweep: w.Name}
		maps.Copy(tags, c.Tags)
		c.Tags = tags
		checked, err := c.Check()
		if err != nil {
			return err
		}
		job := Job{Name: w.Config, Checked: checked}
		if !w.train {
			status, err := jobStatus(ctx, w.r, job, w.graph)
			switch {
			case err != nil:
				return err
			case status.State == Done:
				report.Winner = append(report.Winner, status.Run.ID)
			default:
				job.Name = fmt.Sprintf("the best config, seed %d", seed)
				w.missing = append(w.missing, job)
			}
			continue
		}
		id, err := runJobOn(ctx, w.r, job, w.graph, w.group, fmt.Sprintf("the best config, seed %d", seed), w.o, w.o.Say)
		if err != nil {
			return err
		}
		report.Winner = append(report.Winner, id)
		w.group.winner = report.Winner[0]
	}
	return nil
}
