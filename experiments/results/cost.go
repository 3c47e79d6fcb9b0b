package results

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

// Cost is what a run has used, as far as it is logged, in seconds by the clock; 0 is unknown.
type Cost struct {
	epochs     int
	training   float64 // the sum over epochs
	evaluation float64 // of the final evaluation
	whole      float64 // from start to end, with validations, saved states and, if the run was resumed, pauses
	resumed    int     // times
}

// costNote explains the times of runNotes.
const costNote = "runs: times are by the clock; from start to end includes validations, saved states and pauses."

// costOf is the cost of a run as far as it is known without its history.
func costOf(info tracker.RunInfo) Cost {
	c := Cost{evaluation: info.Metrics["system/evaluation_seconds"]}
	if !info.Start.IsZero() && !info.End.IsZero() {
		c.whole = info.End.Sub(info.Start).Seconds()
	}
	return c
}

// readCosts adds the epochs of the runs to their costs. What a run repeated after a crash is counted once.
func readCosts(ctx context.Context, r Reader, groups [][]Run) error {
	for _, group := range groups {
		for i := range group {
			points, err := r.History(ctx, group[i].Stored.ID, "system/epoch_seconds")
			if err != nil {
				return err
			}
			c := &group[i].Cost
			c.epochs = len(points)
			for _, p := range points {
				c.training += p.Value
			}
		}
	}
	return nil
}

func (c Cost) plus(other Cost) Cost {
	sum := Cost{c.epochs + other.epochs, c.training + other.training, c.evaluation + other.evaluation,
		c.whole + other.whole,
		c.resumed + other.resumed}
	if (c.whole == 0 || other.whole == 0) && c != (Cost{}) && other != (Cost{}) {
		sum.whole = 0 // a sum without one of its parts would be too small
	}
	return sum
}

// String is for the line of one run.
func (c Cost) String() string {
	text := fmt.Sprintf("%d epochs in %s, final evaluation %s", c.epochs, experiments.DurationText(c.training),
		experiments.DurationText(c.evaluation))
	if c.whole > 0 {
		text += ", from start to end " + experiments.DurationText(c.whole)
	}
	switch {
	case c.resumed == 1:
		text += ", resumed once"
	case c.resumed > 1:
		text += fmt.Sprintf(", resumed %d times", c.resumed)
	}
	return text
}

// sum is for the line of several runs.
func (c Cost) sum() string {
	text := experiments.DurationText(c.training+c.evaluation) + " of training and final evaluation"
	if c.whole > 0 {
		text += ", from start to end " + experiments.DurationText(c.whole)
	}
	return text
}

// columns are the known times in seconds, for CSV and JSON.
func (c Cost) columns() []column {
	known := func(seconds float64) *float64 {
		if seconds <= 0 {
			return nil
		}
		return &seconds
	}
	return []column{{"training_seconds", known(c.training)}, {"evaluation_seconds", known(c.evaluation)},
		{"start_to_end_seconds", known(c.whole)}}
}
