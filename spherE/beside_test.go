package sphere

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkBeside measures ratios on a machine whose speed changes while it measures: bursts of a few steps of SpherE-2D
// in turn, plain C against the program on two threads, and one thread against two. A burst counts with the median of
// its steps, a turn with the ratio of its two bursts. x-faster is the median of these ratios; ns/op is a step of the
// faster side and beside-ns/op one of the slower, both medians too.
func BenchmarkBeside(b *testing.B) {
	for _, c := range []struct {
		shape        stepShape
		turns, steps int
	}{
		{shapeFB15k, 8, 20},
		{shapeWN18, 4, 7},
	} {
		g := realGraph(b, c.shape.graph)
		settings := c.shape.settings(SpherE2D)
		own := func(b *testing.B, threads int) func() float64 {
			t := newBenchTrainer(b, g, settings, c.shape.training(threads, ""))
			return func() float64 { return ownStep(b, t, c.steps) }
		}
		b.Run(fmt.Sprintf("%s/%s/c-own", c.shape, SpherE2D), func(b *testing.B) {
			program := buildYardstick(b)
			input := writeYardstick(b, g, settings, c.shape.training(2, ""), nil, 0)
			beside(b, c.turns, func() float64 { return yardstickStep(b, program, input, 2, c.steps) }, own(b, 2))
		})
		b.Run(fmt.Sprintf("%s/%s/one-two", c.shape, SpherE2D), func(b *testing.B) {
			beside(b, c.turns, own(b, 1), own(b, 2))
		})
	}
}

// beside calls slower and faster in turn, each first every second time, and reports what they return in nanoseconds.
func beside(b *testing.B, turns int, slower, faster func() float64) {
	var slow, fast, ratio []float64
	b.ResetTimer()
	for range b.N {
		for i := range turns {
			var s, f float64
			if i%2 == 0 {
				s, f = slower(), faster()
			} else {
				f, s = faster(), slower()
			}
			slow, fast, ratio = append(slow, s), append(fast, f), append(ratio, s/f)
		}
	}
	b.ReportMetric(middle(fast), "ns/op")
	b.ReportMetric(middle(slow), "beside-ns/op")
	b.ReportMetric(middle(ratio), "x-faster")
}

// ownStep is the median of the times of steps, in nanoseconds.
func ownStep(b *testing.B, t *Trainer, steps int) (ns float64) {
	b.Helper()
	all := make([]float64, steps)
	for i := range all {
		start := time.Now()
		benchEpoch(b, t)
		all[i] = float64(time.Since(start))
	}
	return middle(all)
}

// middle sorts x and returns its median.
func middle(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
