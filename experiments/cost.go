package experiments

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/tracker"
)

// cost is what a run has used, as far as it is logged, in seconds by the clock; 0 is unknown.
type cost struct {
	epochs     int
	training   float64 // the sum over epochs
	evaluation float64 // of the final evaluation
	whole      float64 // from the run's start to its end: also validations, saved states and, if it was resumed, pauses
	resumed    int     // times
}

// costNote explains the times of runNotes.
const costNote = "runs: times are by the clock; from start to end counts validations, saved states and pauses, too."

// readCosts sums the logged times of every run. What a run repeated after a crash is counted once in training.
func readCosts(ctx context.Context, r RunReader, groups [][]tracker.RunInfo) (map[string]cost, error) {
	costs := map[string]cost{}
	for _, run := range slices.Concat(groups...) {
		points, err := r.History(ctx, run.ID, "system/epoch_seconds")
		if err != nil {
			return nil, err
		}
		c := cost{epochs: len(points), evaluation: run.Metrics["system/evaluation_seconds"]}
		for _, p := range points {
			c.training += p.Value
		}
		if !run.Start.IsZero() && !run.End.IsZero() {
			c.whole = run.End.Sub(run.Start).Seconds()
		}
		c.resumed, _ = strconv.Atoi(run.Tags[tagResumed]) // absent means never
		costs[run.ID] = c
	}
	return costs, nil
}

func (c cost) plus(other cost) cost {
	sum := cost{c.epochs + other.epochs, c.training + other.training, c.evaluation + other.evaluation, c.whole + other.whole, c.resumed + other.resumed}
	if (c.whole == 0 || other.whole == 0) && c != (cost{}) && other != (cost{}) {
		sum.whole = 0 // a sum without one of its parts would be too small
	}
	return sum
}

// String is for the line of one run.
func (c cost) String() string {
	text := fmt.Sprintf("%d epochs in %s, final evaluation %s", c.epochs, durationText(c.training), durationText(c.evaluation))
	if c.whole > 0 {
		text += ", from start to end " + durationText(c.whole)
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
func (c cost) sum() string {
	text := durationText(c.training+c.evaluation) + " of training and final evaluation"
	if c.whole > 0 {
		text += ", from start to end " + durationText(c.whole)
	}
	return text
}

// costKeys name seconds in CSV and JSON. Of a row that averages seeds they are the sum over its runs.
var costKeys = []string{"training_seconds", "evaluation_seconds", "start_to_end_seconds"}

// seconds are the times by costKeys.
func (c cost) seconds() []float64 { return []float64{c.training, c.evaluation, c.whole} }
