package retrieve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSmallestIsTheBeginningOfAll compares smallest with ordering everything, with ties, infinities, both zeros and
// NaN.
func TestSmallestIsTheBeginningOfAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	some := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), math.MaxFloat32}
	for round := range 500 {
		size := 1 + r.IntN(40)
		if round%10 == 0 { // more than are kept at once
			size = 300 + r.IntN(900)
		}
		w := &row{values: make([]float32, size)}
		for e := range w.values {
			if w.values[e] = some[r.IntN(len(some))]; r.IntN(2) == 0 {
				w.values[e] = r.Float32()
			}
		}
		all := slices.Clone(w.sort(within(float32(math.Inf(1)))))
		even := slices.DeleteFunc(slices.Clone(all), func(k uint64) bool { return k%2 == 1 })
		for _, n := range []int{-1, 0, 1, 2, 7, 100} {
			got := slices.Clone(w.smallest(n, func(float32, int32) bool { return true }))
			if want := all[:max(0, min(n, len(all)))]; !slices.Equal(got, want) {
				t.Fatalf("the %d smallest of %v are %v, want %v", n, w.values, got, want)
			}
			got = slices.Clone(w.smallest(n, func(_ float32, e int32) bool { return e%2 == 0 }))
			if want := even[:max(0, min(n, len(even)))]; !slices.Equal(got, want) {
				t.Fatalf("the %d smallest even ones of %v are %v, want %v", n, w.values, got, want)
			}
		}
	}
}
