package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// countCase runs all kernels of Counts on one row of values and returns what they gave, as bits.
func countCase(k *Counts, values, radius []float32, limit float32, minima, dst []float32) (got []uint32) {
	integer := func(n ...int) {
		for _, n := range n {
			got = append(got, uint32(n))
		}
	}
	within, nan := k.Within(values, limit)
	less, equal := k.Below(values, limit)
	integer(within, nan, less, equal, k.First(values, limit))
	k.Minima(minima, values)
	floats := func(row []float32) {
		for _, x := range row {
			if x != x {
				x = float32(math.NaN()) // any NaN equals any NaN
			}
			got = append(got, math.Float32bits(x))
		}
	}
	floats(minima)
	for _, keep := range []uint32{KeepAll, KeepMagnitude} {
		for _, floor := range []float32{0, float32(math.Inf(-1))} {
			k.Depths(dst, values, radius, keep, limit, 0.9, floor)
			floats(dst)
		}
	}
	copy(dst, values)
	k.Depths(dst, dst, radius, KeepMagnitude, limit, 0.9, 0)
	floats(dst)
	return got
}

// TestCountsEqualPlainGo compares the vector kernels over values with plain Go, at every alignment and for lengths
// around the unit of each.
func TestCountsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		r := rand.New(rand.NewPCG(23, 29))
		var lengths []int
		for n := range 70 {
			lengths = append(lengths, n)
		}
		for _, n := range append(lengths, 127, 128, 129, 255, 256, 300, 1000) {
			for offset := range Lanes {
				special := (n+offset)%3 > 0
				row := func(n int, like []float32) guarded {
					g := newGuarded(n, offset)
					fill(r, g.row, special)
					for i := range g.row {
						if len(like) > 0 && r.IntN(3) == 0 {
							g.row[i] = like[r.IntN(len(like))] // ties
						}
					}
					return g
				}
				limit := number(r, special)
				values := row(n, []float32{limit, number(r, false)})
				radius, minima, dst := row(n, nil), row(Classes, nil), row(n, nil)
				got := countCase(&path.Counts, values.row, radius.row, limit, minima.row, dst.row)
				for _, g := range []guarded{values, radius, minima, dst} {
					g.check(t, path.Name)
				}
				want := countCase(&plain.Counts, values.row, radius.row, limit, make([]float32, Classes),
					make([]float32, n))
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%d values, offset %d, limit %g, result %d: %08x, plain Go %08x", n, offset, limit, i,
							got[i], want[i])
					}
				}
			}
		}
	})
}

// TestPlainCounts holds the specification to what the comments say, with sorted values of which the answers are known.
func TestPlainCounts(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	values := []float32{5, nan, 3, 3, -1, float32(math.Inf(1)), 0, float32(math.Copysign(0, -1)), nan}
	k := Go().Counts
	if within, unordered := k.Within(values, 3); within != 5 || unordered != 2 {
		t.Errorf("Within: %d and %d", within, unordered)
	}
	if less, equal := k.Below(values, 0); less != 1 || equal != 2 {
		t.Errorf("Below: %d and %d", less, equal)
	}
	if a, b, c := k.First(values, 3), k.First(values, -2), k.First(values, nan); a != 2 || b != 9 || c != 9 {
		t.Errorf("First: %d, %d, %d", a, b, c)
	}
	many := slices.Repeat([]float32{2}, Classes+3)
	many[Classes+1], many[Classes+2], many[0], many[5] = 1, nan, nan, nan
	minima := make([]float32, Classes)
	k.Minima(minima, many)
	if minima[0] != 2 || minima[1] != 1 || minima[2] != 2 || !math.IsInf(float64(minima[5]), 1) {
		t.Errorf("Minima: %v", minima[:6])
	}
	dst := make([]float32, 3)
	k.Depths(dst, []float32{4, 1, nan}, []float32{-2, 2, 2}, KeepMagnitude, 1, 0.5, 0)
	if dst[0] != 2 || dst[1] != 0 || dst[2] == dst[2] {
		t.Errorf("Depths: %v", dst)
	}
	k.Depths(dst, []float32{4, 1, nan}, []float32{-2, 2, 2}, KeepAll, 1, 0.5, float32(math.Inf(-1)))
	if dst[0] != 4 || dst[1] != -1 || dst[2] == dst[2] {
		t.Errorf("Depths with signs: %v", dst)
	}
}
