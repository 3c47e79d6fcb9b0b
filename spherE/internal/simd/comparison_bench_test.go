package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkComparisons compares 32 queries with 16 rows of 416 floats or a little more, as an evaluation does.
func BenchmarkComparisons(b *testing.B) {
	const queries, rows = 32, 16
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range Paths() {
		for _, c := range comparisons() {
			stride := (416 + c.planes*Lanes - 1) / (c.planes * Lanes) * c.planes * Lanes
			q, all := make([]float32, queries*stride), make([]float32, rows*stride)
			fill(r, q, false)
			fill(r, all, false)
			dst := make([]float32, queries*rows)
			b.Run(fmt.Sprintf("%s, %d planes/%s", c.name, c.planes, k.Name), func(b *testing.B) {
				for b.Loop() {
					c.run(k, dst, rows, q, all, stride)
				}
				b.ReportMetric(float64(queries*rows*stride)*float64(b.N)/b.Elapsed().Seconds(), "elements/s")
			})
		}
	}
}
