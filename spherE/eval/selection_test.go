package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"
)

// TestSmallest compares the partial selection with a full sort, with many ties, infinities and NaN.
func TestSmallest(t *testing.T) {
	t.Parallel()
	r := newRand(1)
	var s selection // one for all, as in a worker: nothing of an earlier call may remain
	for round := range 3000 {
		n, l := r.IntN(40), 1+r.IntN(45)
		values := make([]float32, n)
		for i := range values {
			switch r.IntN(12) {
			case 0:
				values[i] = float32(math.NaN())
			case 1:
				values[i] = float32(math.Inf(1))
			case 2:
				values[i] = float32(math.Inf(-1))
			case 3:
				values[i] = float32(math.Copysign(0, -1))
			default:
				values[i] = float32(r.IntN(1+round%9) - 2)
			}
		}
		var want []int32
		for i, v := range values {
			if v == v {
				want = append(want, int32(i))
			}
		}
		sort.SliceStable(want, func(i, j int) bool { return values[want[i]] < values[want[j]] }) // ids ascend already
		want = want[:min(l, len(want))]
		var got []int32
		for _, x := range s.smallest(values, l) {
			if x.value != values[x.entity] {
				t.Fatalf("entity %d has value %v, not %v", x.entity, values[x.entity], x.value)
			}
			got = append(got, x.entity)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the %d smallest of %v are %v, want %v", l, values, got, want)
		}
	}
}

func BenchmarkSmallest(b *testing.B) {
	r := newRand(2)
	values := make([]float32, 14541)
	for i := range values {
		values[i] = r.Float32()
	}
	for _, l := range []int{10, 100} {
		b.Run(fmt.Sprint(l), func(b *testing.B) {
			var s selection
			b.ReportAllocs()
			for b.Loop() {
				s.smallest(values, l)
			}
		})
	}
}
