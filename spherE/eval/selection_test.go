package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// TestSmallest compares the partial selection with a full sort, with many ties, infinities and NaN, for few and for
// many values.
func TestSmallest(t *testing.T) {
	t.Parallel()
	r := newRand(1)
	counts, err := kernels()
	expect.NoError(t, err)
	var s selection // one for all, as in a worker: nothing of an earlier call may remain
	for round := range 3600 {
		n, l := r.IntN(40), 1+r.IntN(45)
		if round%6 == 0 {
			n, l = 4*simd.Classes-3+r.IntN(300), 1+r.IntN(simd.Classes+20)
		}
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
				if round%4 == 0 { // few ties
					values[i] = r.Float32()
				}
			}
			if round%30 == 0 && r.IntN(8) > 0 { // few numbers
				values[i] = float32(math.NaN())
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
		for _, x := range s.smallest(counts, values, l) {
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

// TestLeastFinite compares the least finite value with that of a plain loop, with infinities and NaN.
func TestLeastFinite(t *testing.T) {
	t.Parallel()
	counts, err := kernels()
	expect.NoError(t, err)
	w := &fitWorker{fit: &fit{counts: counts}}
	r := newRand(77)
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, 0}
	for round := range 2000 {
		values := make([]float32, r.IntN(300))
		want := float32(math.MaxFloat32)
		for i := range values {
			values[i] = r.Float32() - 0.5
			if round%3 > 0 && r.IntN(1+round%7) > 0 {
				values[i] = special[r.IntN(len(special))]
			}
			if v := float64(values[i]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				want = min(want, values[i])
			}
		}
		if got := w.leastFinite(values); got != want {
			t.Fatalf("the least of %v is %g, want %g", values, got, want)
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
			counts, err := kernels()
			expect.NoError(b, err)
			var s selection
			b.ReportAllocs()
			for b.Loop() {
				s.smallest(counts, values, l)
			}
		})
	}
}
