package order

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Selection finds the l smallest of many values, so that most values cost one comparison or less. For few, it takes the
// minima of disjoint classes: no value above the smallest l of these is among the smallest l. For many, it collects
// candidates in a buffer of several times l. When the buffer is full, partitioning leaves the l smallest, and later
// values must be smaller than the largest of these. The zero value is ready. What a method returns is valid until the
// next call.
type Selection struct {
	keys   []uint64
	minima [simd.Classes]float32
}

// leastKept is the smallest buffer. A smaller one would be partitioned too often.
const leastKept = 256

// Smallest returns the keys of the l entities of smallest (value, id), best first; fewer where fewer values are not
// NaN.
func (s *Selection) Smallest(counts *simd.Counts, values []float32, l int) []uint64 {
	if l <= simd.Classes && len(values) >= leastValues {
		s.within(counts, values, s.bound(counts, values, l))
		return s.best(l)
	}
	return s.Among(values, l, func(int32) bool { return true })
}

// Among returns the keys of the l entities of smallest (value, id) among those that belong, best first; fewer if fewer
// belong or are not NaN. It calls belongs only for entities that may be among them.
func (s *Selection) Among(values []float32, l int, belongs func(entity int32) bool) []uint64 {
	if s.keys = s.keys[:0]; l > 0 {
		s.stream(values, l, belongs)
	}
	return s.best(l)
}

// best leaves the l smallest keys, in order.
func (s *Selection) best(l int) []uint64 {
	if len(s.keys) > max(l, 0) {
		lowest(s.keys, l)
		s.keys = s.keys[:l]
	}
	slices.Sort(s.keys)
	return s.keys
}

// leastValues is the number of values from which minima of classes pay off.
const leastValues = 4 * simd.Classes

// bound is a value that at least l values do not exceed, +Inf where there are fewer numbers in classes of their own.
func (s *Selection) bound(counts *simd.Counts, values []float32, l int) float32 {
	counts.Minima(s.minima[:], values)
	s.keys = s.keys[:0]
	for i, v := range s.minima {
		s.keys = append(s.keys, Key(v, int32(i)))
	}
	return s.minima[lowest(s.keys, l)]
}

// within collects the values up to a bound.
func (s *Selection) within(counts *simd.Counts, values []float32, bound float32) {
	s.keys = s.keys[:0]
	for i := counts.First(values, bound); i < len(values); i += 1 + counts.First(values[i+1:], bound) {
		s.keys = append(s.keys, Key(values[i], int32(i)))
	}
}

// stream collects at least the l smallest values of those that belong.
func (s *Selection) stream(values []float32, l int, belongs func(entity int32) bool) {
	if room := max(4*l, leastKept); cap(s.keys) < room {
		s.keys = make([]uint64, 0, room)
	}
	keys := s.keys[:0]
	i := 0
	for ; i < len(values) && len(keys) < cap(keys); i++ {
		if v := values[i]; v == v && belongs(int32(i)) {
			keys = append(keys, Key(v, int32(i)))
		}
	}
	for i < len(values) {
		worst := values[lowest(keys, l)]
		keys = keys[:l]
		for ; i < len(values); i++ {
			// Ids grow, so an equal value never replaces one that is kept. NaN fails the test too.
			if v := values[i]; v < worst && belongs(int32(i)) {
				if keys = append(keys, Key(v, int32(i))); len(keys) == cap(keys) {
					i++
					break
				}
			}
		}
	}
	s.keys = keys
}

// lowest moves the l smallest of the keys, which are distinct, to the front, 0 < l <= len(keys), and returns the
// entity of the largest of them (Hoare's selection with the median of three).
func lowest(keys []uint64, l int) int32 {
	lo, hi := 0, len(keys)-1
	for lo < hi {
		a, b, c := keys[lo], keys[lo+(hi-lo)/2], keys[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for keys[i] < pivot {
				i++
			}
			for keys[j] > pivot {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i++
				j--
			}
		}
		switch {
		case l-1 <= j:
			hi = j
		case l-1 >= i:
			lo = i
		default:
			return Entity(keys[l-1])
		}
	}
	return Entity(keys[l-1])
}
