package results

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// Cost is the time that a run has used, as far as it is logged, in seconds; 0 is unknown. Times without CPU in their
// name are wall-clock times.
type Cost struct {
	epochs        int     // 0 for a run without epochs
	training      float64 // the sum over epochs
	evaluation    float64 // of the final evaluation
	whole         float64 // from start to end, with validations, saved states and, if the run was resumed, pauses
	resumed       int     // times
	trainingCPU   float64 // the sum over epochs, if all have it; runs of older versions have none
	evaluationCPU float64
}

// costNote explains the times in runNotes.
const costNote = "runs: times are by the clock, CPU is the time of all cores together; " +
	"from start to end includes validations, saved states and pauses."

// costOf returns the cost of a run as far as it is known without its history.
func costOf(info tracker.RunInfo) Cost {
	c := Cost{evaluation: info.Metrics["system/evaluation_seconds"],
		evaluationCPU: info.Metrics["system/evaluation_cpu_seconds"]}
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
			cpu, err := r.History(ctx, group[i].Stored.ID, "system/cpu_seconds")
			if err != nil {
				return err
			}
			c := &group[i].Cost
			c.training = total(points)
			if group[i].HasEpochs() {
				c.epochs = len(points)
			}
			if len(cpu) == len(points) {
				c.trainingCPU = total(cpu)
			}
		}
	}
	return nil
}

func total(points []tracker.Point) (sum float64) {
	for _, p := range points {
		sum += p.Value
	}
	return sum
}

func (c Cost) plus(other Cost) Cost {
	sum := func(a, b float64) float64 {
		if (a == 0 || b == 0) && c != (Cost{}) && other != (Cost{}) {
			return 0 // a sum with a missing part would be too small
		}
		return a + b
	}
	return Cost{c.epochs + other.epochs, c.training + other.training, c.evaluation + other.evaluation,
		sum(c.whole, other.whole), c.resumed + other.resumed,
		sum(c.trainingCPU, other.trainingCPU), sum(c.evaluationCPU, other.evaluationCPU)}
}

// cpuText returns a CPU time in brackets, "" if it is unknown.
func cpuText(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	return " (CPU " + quantity.Seconds(seconds) + ")"
}

// String returns the text for the line of one run.
func (c Cost) String() string {
	made := "made"
	if c.epochs > 0 {
		made = quantity.Count(c.epochs, "epoch")
	}
	text := fmt.Sprintf("%s in %s%s, final evaluation %s%s", made, quantity.Seconds(c.training),
		cpuText(c.trainingCPU), quantity.Seconds(c.evaluation), cpuText(c.evaluationCPU))
	if c.whole > 0 {
		text += ", from start to end " + quantity.Seconds(c.whole)
	}
	switch {
	case c.resumed == 1:
		text += ", resumed once"
	case c.resumed > 1:
		text += fmt.Sprintf(", resumed %d times", c.resumed)
	}
	return text
}

// sum returns the text for the line of several runs.
func (c Cost) sum() string {
	text := quantity.Seconds(c.training+c.evaluation) + " of training and final evaluation"
	if c.trainingCPU > 0 && c.evaluationCPU > 0 {
		text += cpuText(c.trainingCPU + c.evaluationCPU)
	}
	if c.whole > 0 {
		text += ", from start to end " + quantity.Seconds(c.whole)
	}
	return text
}

// columns returns the known wall-clock times in seconds, for CSV and JSON.
func (c Cost) columns() []column {
	return []column{{"training_seconds", known(c.training)}, {"evaluation_seconds", known(c.evaluation)},
		{"start_to_end_seconds", known(c.whole)}}
}

// cpuColumns returns the known CPU times in seconds. They come last, since they were added last.
func (c Cost) cpuColumns() []column {
	return []column{{"training_cpu_seconds", known(c.trainingCPU)}, {"evaluation_cpu_seconds", known(c.evaluationCPU)}}
}

// known returns nil for an unknown time.
func known(seconds float64) *float64 {
	if seconds <= 0 {
		return nil
	}
	return &seconds
}
