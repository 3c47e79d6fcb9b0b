package simd

import "math"

// Counts has the inner loops over the values of one query: a float per entity, any number of them, not padded. See
// plain_count.go for the loops.
type Counts struct {
	// Within counts the values that are <= limit and those that are NaN.
	Within func(values []float32, limit float32) (within, nan int)
	// Below counts the values that are less than limit and those that are equal to it.
	Below func(values []float32, limit float32) (less, equal int)
	// First returns the place of the first value that is <= limit, len(values) if there is none.
	First func(values []float32, limit float32) int
	// Minima sets dst[i] to the least of the values whose place is i modulo Classes, +Inf if there is none. NaN is
	// left out. dst has Classes floats.
	Minima func(dst, values []float32)
	// Depths sets dst to dist - (known + candidate*rho), at least floor. rho has the bits of radius that keep selects.
	// dst may be dist. A NaN stays one.
	Depths func(dst, dist, radius []float32, keep uint32, known, candidate, floor float32)
}

// Classes is the number of minima of Counts.Minima.
const Classes = 8 * Lanes

// counted makes kernels for any number of values from those for whole lines, of minima for eight lines. Plain Go does
// the rest.
func counted(k Counts) Counts {
	plain := plainCounts()
	whole := func(n, unit int) int { return n - n%unit }
	return Counts{
		Within: func(values []float32, limit float32) (within, nan int) {
			n := whole(len(values), Lanes)
			a, b := k.Within(values[:n], limit)
			c, d := plain.Within(values[n:], limit)
			return a + c, b + d
		},
		Below: func(values []float32, limit float32) (less, equal int) {
			n := whole(len(values), Lanes)
			a, b := k.Below(values[:n], limit)
			c, d := plain.Below(values[n:], limit)
			return a + c, b + d
		},
		First: func(values []float32, limit float32) int {
			n := whole(len(values), Lanes)
			if i := k.First(values[:n], limit); i < n {
				return i
			}
			return n + plain.First(values[n:], limit)
		},
		Minima: func(dst, values []float32) {
			n := whole(len(values), Classes)
			k.Minima(dst, values[:n])
			lower(dst, values[n:])
		},
		Depths: func(dst, dist, radius []float32, keep uint32, known, candidate, floor float32) {
			n := whole(len(dst), Lanes)
			k.Depths(dst[:n], dist[:n], radius[:n], keep, known, candidate, floor)
			plain.Depths(dst[n:], dist[n:], radius[n:], keep, known, candidate, floor)
		},
	}
}

// lower lowers minima to the values of their classes.
func lower(dst, values []float32) {
	for i, v := range values {
		if m := &dst[i%Classes]; v < *m {
			*m = v
		}
	}
}

// KeepAll and KeepMagnitude are bits for Counts.Depths: rho is the radius, or its magnitude.
const (
	KeepAll       = math.MaxUint32
	KeepMagnitude = math.MaxInt32
)
