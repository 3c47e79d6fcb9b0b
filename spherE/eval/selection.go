package eval

import (
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// scored is an entity with its value; smaller is better, equal values are ordered by id.
type scored struct {
	value  float32
	entity int32
}

func (a scored) before(b scored) bool {
	return a.value < b.value || (a.value == b.value && a.entity < b.entity)
}

// selection finds the l smallest of many values, so that most values cost one comparison or less. For few, it takes the
// minima of disjoint classes: no value above the smallest l of these is among the smallest l. For many, it collects
// candidates in a buffer of several times l. When the buffer is full, partitioning leaves the l smallest, and later
// values must be smaller than the largest of these.
type selection struct {
	keys   []uint64 // see key
	found  []scored
	minima [simd.Classes]float32
}

// key packs a value, which is not NaN, and its entity, so that keys are ordered as scored.before orders.
func key(value float32, entity int32) uint64 {
	b := math.Float32bits(value + 0) // -0 is tied with 0
	if b>>31 != 0 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(uint32(entity))
}

// leastKept is the smallest buffer. A smaller one would be partitioned too often.
const leastKept = 256

// smallest returns the l entities of smallest (value, id), best first; fewer where fewer values are not NaN. The result
// is valid until the next call.
func (s *selection) smallest(counts *simd.Counts, values []float32, l int) []scored {
	if l <= simd.Classes && len(values) >= leastValues {
		s.within(counts, values, s.bound(counts, values, l))
	} else {
		s.stream(values, l)
	}
	keys := s.keys
	if len(keys) > l {
		lowest(keys, l)
		keys = keys[:l]
	}
	slices.Sort(keys)
	s.found = s.found[:0]
	for _, k := range keys {
		e := int32(uint32(k))
		s.found = append(s.found, scored{values[e], e})
	}
	return s.found
}

// leastValues is the number of values from which on minima of classes are worth it.
const leastValues = 4 * simd.Classes

// bound is a value that at least l values do not exceed, +Inf where there are fewer numbers in classes of their own.
func (s *selection) bound(counts *simd.Counts, values []float32, l int) float32 {
	counts.Minima(s.minima[:], values)
	s.keys = s.keys[:0]
	for i, v := range s.minima {
		s.keys = append(s.keys, key(v, int32(i)))
	}
	return s.minima[lowest(s.keys, l)]
}

// within collects the values up to a bound.
func (s *selection) within(counts *simd.Counts, values []float32, bound float32) {
	s.keys = s.keys[:0]
	for i := counts.First(values, bound); i < len(values); i += 1 + counts.First(values[i+1:], bound) {
		s.keys = append(s.keys, key(values[i], int32(i)))
	}
}

// stream collects at least the l smallest values.
func (s *selection) stream(values []float32, l int) {
	if room := max(4*l, leastKept); cap(s.keys) < room {
		s.keys = make([]uint64, 0, room)
	}
	keys := s.keys[:0]
	i := 0
	for ; i < len(values) && len(keys) < cap(keys); i++ {
		if v := values[i]; v == v {
			keys = append(keys, key(v, int32(i)))
		}
	}
	for i < len(values) {
		worst := values[lowest(keys, l)]
		keys = keys[:l]
		for ; i < len(values); i++ {
			// Ids grow, so an equal value never replaces one that is kept. NaN fails the test, too.
			if v := values[i]; v < worst {
				if keys = append(keys, key(v, int32(i))); len(keys) == cap(keys) {
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
			return int32(uint32(keys[l-1]))
		}
	}
	return int32(uint32(keys[l-1]))
}
