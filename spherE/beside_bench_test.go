package sphere

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// BenchmarkBeside measures ratios on a machine whose speed varies. Bursts of a few steps of SpherE-2D alternate between
// a base (plain C on two threads, Go on one, or Go with roots by instruction) and Go on two threads. The time of a
// burst is the median of its steps. x-base is the median, over pairs of bursts, of the base's time divided by Go's;
// ns/op is the median step of Go on two threads, and base-ns/op that of the base. Go continues its training from burst
// to burst. Plain C starts again for each burst; its start and its first three steps are not counted.
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
		with := func(b *testing.B, threads int, path string) func() float64 {
			t := newBenchTrainer(b, g, settings, c.shape.training(threads, path))
			return func() float64 { return medianStep(b, t, c.steps) }
		}
		own := func(b *testing.B, threads int) func() float64 { return with(b, threads, "") }
		b.Run(fmt.Sprintf("%s/%s/plain-C", c.shape, SpherE2D), func(b *testing.B) {
			program := buildYardstick(b)
			input := writeYardstick(b, g, settings, c.shape.training(2, ""), nil, 0)
			beside(b, c.turns, func() float64 { return yardstickStep(b, program, input, 2, c.steps) }, own(b, 2))
		})
		b.Run(fmt.Sprintf("%s/%s/one-thread", c.shape, SpherE2D), func(b *testing.B) {
			beside(b, c.turns, own(b, 1), own(b, 2))
		})
		for _, roots := range []string{"", simd.Sequence, simd.Mixed} {
			name := cmp.Or(roots, "chosen")
			b.Run(fmt.Sprintf("%s/%s/roots-%s", c.shape, SpherE2D, name), func(b *testing.B) {
				if _, err := simd.Check("/" + roots); err != nil {
					b.Skip(err)
				}
				beside(b, c.turns, with(b, 2, "/"+simd.Instruction), with(b, 2, "/"+roots))
			})
		}
	}
}

// beside calls base and other alternately, each of them first every second time, and reports the nanoseconds that they
// return.
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

// medianStep returns the median time of a step, in nanoseconds.
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
