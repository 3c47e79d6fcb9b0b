package sphere

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkBeside measures ratios on a machine whose speed changes while it measures: bursts of a few steps of SpherE-2D
// in turn, of a base (plain C on two threads, or the program on one) and of the program on two threads. A burst counts
// with the median of its steps, an odd number; a turn with the ratio of its two bursts. x-base is the median of these
// ratios, the base's time divided by the other's; ns/op is a step of the program on two threads and base-ns/op one of
// the base, both medians too. The program goes on with its training from burst to burst; plain C is started anew, which
// like its first three steps is not counted.
func BenchmarkBeside(b *testing.B) {
	for _, c := range []struct {
		shape        stepShape
		turns, steps int
	}{
		{shapeFB15k, 8, 21},
		{shapeWN18, 4, 7},
	} {
		g := realGraph(b, c.shape.graph)
		settings := c.shape.settings(SpherE2D)
		own := func(b *testing.B, threads int) func() float64 {
			t := newBenchTrainer(b, g, settings, c.shape.training(threads, ""))
			return func() float64 { return medianStep(b, t, c.steps) }
		}
		b.Run(fmt.Sprintf("%s/%s/plain-C", c.shape, SpherE2D), func(b *testing.B) {
			program := buildYardstick(b)
			input := writeYardstick(b, g, settings, c.shape.training(2, ""), nil, 0)
			beside(b, c.turns, func() float64 { return yardstickStep(b, program, input, 2, c.steps) }, own(b, 2))
		})
		b.Run(fmt.Sprintf("%s/%s/one-thread", c.shape, SpherE2D), func(b *testing.B) {
			beside(b, c.turns, own(b, 1), own(b, 2))
		})
	}
}

// beside calls base and other in turn, each first every second time, and reports what they return in nanoseconds.
func beside(b *testing.B, turns int, base, other func() float64) {
	var bases, others, ratios []float64
	b.ResetTimer()
	for range b.N {
		for i := range turns {
			var x, y float64
			if i%2 == 0 {
				x, y = base(), other()
			} else {
				y, x = other(), base()
			}
			bases, others, ratios = append(bases, x), append(others, y), append(ratios, x/y)
		}
	}
	b.ReportMetric(middle(others), "ns/op")
	b.ReportMetric(middle(bases), "base-ns/op")
	b.ReportMetric(middle(ratios), "x-base")
}

// medianStep is the median of the times of steps, in nanoseconds.
func medianStep(b *testing.B, t *Trainer, steps int) (ns float64) {
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
