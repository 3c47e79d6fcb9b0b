package order

import (
	"math"
	"slices"
	"testing"
)

// TestSort compares with a sort of the same keys, for values of all signs and sizes, many of them equal.
func TestSort(t *testing.T) {
	t.Parallel()
	for n := range 70 {
		var keys []uint64
		x := uint32(n + 1)
		for e := range 13 * n {
			x = x*1664525 + 1013904223
			v := math.Float32frombits(x)
			if e%3 == 0 || v != v {
				v = float32(int32(x)>>28) / 2
			}
			if e%50 == 0 {
				v = float32(math.Copysign(0, float64(int32(x))))
			}
			keys = append(keys, Key(v, int32(e)))
		}
		want := slices.Sorted(slices.Values(keys))
		if Sort(keys, make([]uint64, len(keys)+5)); !slices.Equal(keys, want) {
			t.Fatalf("%d keys are out of order", len(keys))
		}
	}
}
