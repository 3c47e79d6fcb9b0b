package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/tracker"
)

// Trial is a point of a search and what is known about it.
type Trial struct {
	Number int      // from 1; the first is the config itself
	Items  []string // key=value, what it differs in from the config
	Runs   []string // ids by seed
	Epochs int      // trained by all of its seeds
	Scores []float64
	Failed string // why it has no score, else ""

	identity string           // of the config with the first seed
	configs  []config.Checked // by seed, unless it failed
	u        []float64        // nil for the config itself
}

// Score is the mean over the seeds, NaN if the trial failed or is not trained.
func (t *Trial) Score() float64 {
	if len(t.Scores) == 0 || t.Failed != "" {
		return math.NaN()
	}
	sum := 0.0
	for _, x := range t.Scores {
		sum += x
	}
	return sum / float64(len(t.Scores))
}

// trial is the config of a point, once for each seed.
func (w *searcher) trial(number int, items []string, u []float64) (*Trial, error) {
	t := &Trial{Number: number, Items: items, u: u}
	for _, seed := range w.Seeds {
		c := w.base.Config()
		if err := c.SetItems(slices.Concat(items, []string{"eval.final=false", "eval.fit=false", "eval.calibrate=false"}),
			"search "+w.Name); err != nil {
			return nil, err
		}
		c.Seed = seed
		c.Name = fmt.Sprintf("%s-trial-%d", c.RunName(w.graph), number) // the name alone is that of the best one
		c.Tags = maps.Clone(c.Tags)
		if c.Tags == nil {
			c.Tags = map[string]string{}
		}
		c.Tags[answer.TagSweep], c.Tags[answer.TagTrial] = w.Name, strconv.Itoa(number)
		if t.identity == "" {
			t.identity = c.IdentityHash()
		}
		checked, err := c.Check()
		if err == nil {
			_, err = c.Training().On(w.graph)
		}
		if err != nil {
			t.Failed = err.Error()
		}
		t.configs = append(t.configs, checked)
	}
	return t, nil
}

// trainTo trains a trial to the given number of epochs, and reads its scores there.
func (w *searcher) trainTo(ctx context.Context, t *Trial, epochs int) error {
	if t.Failed != "" {
		return nil
	}
	title := fmt.Sprintf("trial %d of %d", t.Number, w.Trials)
	if len(t.Items) > 0 {
		title += ": " + strings.Join(t.Items, " ")
	}
	var scores []float64
	var missing error
	t.Runs = nil
	if len(w.Rungs) == 0 && len(t.configs) > 0 {
		epochs = t.configs[0].Config().Train.Epochs // a space may have it
	}
	for i, c := range t.configs {
		id, score, err := w.score(ctx, c, epochs, fmt.Sprintf("%s, seed %d", title, w.Seeds[i]))
		if id != "" {
			t.Runs = append(t.Runs, id)
		}
		switch {
		case err == nil && math.IsNaN(score):
			t.Failed = "diverged"
			return nil
		case errors.Is(err, errUntrained):
			missing = err
		case err != nil:
			return err
		}
		scores = append(scores, score)
	}
	if missing != nil {
		return missing
	}
	t.Scores, t.Epochs = scores, epochs
	if w.o.Scored != nil {
		w.o.Scored(t)
	}
	w.o.Say(fmt.Sprintf("%s: %s %.4f after %d epochs", title, w.Metric, t.Score(), epochs))
	return nil
}

// score returns the metric of a config after the given number of epochs, which are trained if they are missing. It is
// NaN if the training diverged.
func (w *searcher) score(ctx context.Context, checked config.Checked, epochs int, title string) (runID string,
	score float64, err error) {
	c := checked.Config()
	key := scoredConfig{c.IdentityHash(), epochs}
	if before, known := w.memory.scores[key]; known {
		return before.id, before.score, nil
	}
	defer func() {
		if err == nil {
			w.memory.scores[key] = scoredRun{runID, score}
		}
	}()
	status, err := jobStatus(ctx, w.r, Job{Name: w.Config, Checked: checked}, w.graph)
	if err != nil {
		return "", 0, err
	}
	if w.train && status.Run.ID != "" {
		if err := w.group.join(ctx, c.ExperimentIn(w.graph), status.Run); err != nil {
			return "", 0, err
		}
	}
	if status.State == Done || status.State == Started || status.State == Diverged {
		score, known, err := w.findLogged(ctx, c, status.Run, epochs, status.State == Done)
		if known || err != nil {
			return status.Run.ID, score, err
		}
	}
	if status.State == Diverged {
		return status.Run.ID, math.NaN(), nil
	}
	job := Job{Name: title, Checked: checked, Until: epochs}
	if epochs == c.Train.Epochs {
		job.Until = 0
	}
	if !w.train {
		w.missing = append(w.missing, job)
		return status.Run.ID, 0, errUntrained
	}
	runID, err = runJobOn(ctx, w.r, job, w.graph, w.group, title, w.o, w.o.Say)
	if failed, ok := errors.AsType[*experiments.FailedError](err); ok && experiments.Diverged(err) {
		w.o.Say(title + ": " + err.Error())
		return failed.RunID, math.NaN(), nil
	}
	if err != nil {
		return "", 0, err
	}
	if _, err := w.r.Tracker.ReplaySpools(ctx); err != nil { // of a run that ended while the database was away
		return runID, 0, err
	}
	info, err := w.r.Tracker.FindRun(ctx, runID)
	if err != nil {
		return runID, 0, err
	}
	score, known, err := w.findLogged(ctx, c, info, epochs, info.Status == string(tracker.Finished))
	if err == nil && !known {
		err = fmt.Errorf("%s has no %s after epoch %d", answer.RunTitle(runID, info.Name), w.Metric, epochs)
	}
	return runID, score, err
}

// findLogged returns the score of a run after the given number of epochs: of a run that is whole and kept its best
// model, that model's. known is false if the run is not that far.
func (w *searcher) findLogged(ctx context.Context, c *config.Config, run tracker.RunInfo, epochs int,
	whole bool) (score float64,
	known bool, err error) {
	points, err := w.r.Tracker.History(ctx, run.ID, w.Metric)
	if err != nil {
		return 0, false, err
	}
	sign := 1.0
	if isRank(w.Metric) {
		sign = -1 // less is better
	}
	score, end := math.Inf(-1), int64(0)
	for _, p := range points {
		switch at := sign * p.Value; {
		case p.Step > int64(epochs):
		case c.EarlyStop.Metric == w.Metric:
			score, end = max(score, at), max(end, p.Step)
		case p.Step >= end:
			score, end = at, p.Step
		}
	}
	reached := end == int64(epochs) || whole && end > 0
	return score, reached, nil
}

// ranked sorts trials by score. With rungs those that were trained longer come first.
func ranked(trials []*Trial, rungs bool) []*Trial {
	scores := make([]float64, len(trials))
	for i, t := range trials {
		scores[i] = t.Score()
	}
	var list []*Trial
	for _, i := range ranking(scores) {
		list = append(list, trials[i])
	}
	slices.SortStableFunc(list, func(a, b *Trial) int {
		if (a.Failed != "") != (b.Failed != "") {
			if a.Failed != "" {
				return 1
			}
			return -1
		}
		if !rungs {
			return 0
		}
		return b.Epochs - a.Epochs
	})
	return list
}
