package eval

import (
	"math"
	"testing"
)

// TestCounts compares the unrolled counts with plain loops, for every length around the unrolling, with ties,
// infinities and NaN.
func TestCounts(t *testing.T) {
	t.Parallel()
	r := newRand(9)
	infinite := float32(math.Inf(1))
	special := []float32{float32(math.NaN()), infinite, -infinite, 0, float32(math.Copysign(0, -1))}
	for round := range 4000 {
		values := make([]float32, round%23)
		for i := range values {
			values[i] = float32(r.IntN(7)-3) / 2
			if round%3 > 0 && r.IntN(6) == 0 {
				values[i] = special[r.IntN(len(special))]
			}
		}
		limit := float32(r.IntN(9)-4) / 2
		if r.IntN(8) == 0 {
			limit = special[r.IntN(len(special))]
		}
		var within, nan, less, equal int32
		for _, v := range values {
			switch {
			case math.IsNaN(float64(v)):
				nan++
			case v < limit:
				less++
				within++
			case v == limit:
				equal++
				within++
			}
		}
		if w, n := countValues(values, limit); w != within || n != nan {
			t.Fatalf("countValues(%v, %v) = %d, %d, want %d, %d", values, limit, w, n, within, nan)
		}
		if l, e := countBelow(values, limit); l != less || e != equal {
			t.Fatalf("countBelow(%v, %v) = %d, %d, want %d, %d", values, limit, l, e, less, equal)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	r := newRand(2)
	values := make([]float32, 14541)
	for i := range values {
		values[i] = r.Float32()
	}
	for _, c := range []struct {
		name  string
		count func([]float32, float32) (int32, int32)
	}{{"values", countValues}, {"below", countBelow}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.count(values, 0.5)
			}
			b.ReportMetric(float64(len(values))*float64(b.N)/b.Elapsed().Seconds(), "elements/s")
		})
	}
}
