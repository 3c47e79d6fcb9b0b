package simd

import "math"

// plainCounts returns the plain Go kernels over values, the specification of all others.
func plainCounts() Counts {
	return Counts{
		Within: countWithin, Below: countBelow, First: firstWithin,
		Minima: func(dst, values []float32) {
			for i := range dst {
				dst[i] = float32(math.Inf(1))
			}
			lower(dst, values)
		},
		Depths: depths,
	}
}

// bit is 1 for true. The compiler makes it one instruction without a branch. A branch would often be predicted wrong,
// which costs as much as a dozen comparisons.
func bit(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}

func countWithin(values []float32, limit float32) (within, nan int) {
	for _, v := range values {
		within += bit(v <= limit)
		nan += bit(v != v)
	}
	return within, nan
}

func countBelow(values []float32, limit float32) (less, equal int) {
	for _, v := range values {
		less += bit(v < limit)
		equal += bit(v == limit)
	}
	return less, equal
}

func firstWithin(values []float32, limit float32) int {
	for i, v := range values {
		if v <= limit {
			return i
		}
	}
	return len(values)
}

func depths(dst, dist, radius []float32, keep uint32, known, candidate, floor float32) {
	dist, radius = dist[:len(dst)], radius[:len(dst)]
	for e := range dst {
		rho := math.Float32frombits(math.Float32bits(radius[e]) & keep)
		d := dist[e] - (known + float32(candidate*rho))
		if d <= floor {
			d = floor
		}
		dst[e] = d
	}
}
