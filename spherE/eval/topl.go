package eval

import (
	"fmt"
	"math"
	"slices"
)

// sortedTopL returns the sizes ascending and without repeats.
func sortedTopL(sizes []int) ([]int, error) {
	top := slices.Clone(sizes)
	slices.Sort(top)
	top = slices.Compact(top)
	if len(top) > 0 && top[0] < 1 {
		return nil, fmt.Errorf("eval: a top-l cut must keep at least 1 entity, got %d", top[0])
	}
	return top, nil
}

// scored is an entity with its value; smaller is better, equal values are ordered by id.
type scored struct {
	value  float32
	entity int32
}

func (a scored) before(b scored) bool {
	return a.value < b.value || (a.value == b.value && a.entity < b.entity)
}

// selection finds the l smallest of many values. It keeps those that may be among them in a buffer of several times l;
// when that is full, partitioning leaves the l smallest, and their worst is what later values must beat. So most values
// cost one comparison, and those kept a few more on average.
type selection struct {
	keys []uint64 // see key
	best []scored
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

// leastKept is the smallest buffer: a small one would be partitioned for every few values.
const leastKept = 256

// smallest returns the l entities of smallest (value, id), best first, fewer when there are fewer values that
// are not NaN. The result is valid until the next call.
func (s *selection) smallest(values []float32, l int) []scored {
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
			// Ids grow, so an equal value can never displace one that is held. NaN fails the test too.
			if v := values[i]; v < worst {
				if keys = append(keys, key(v, int32(i))); len(keys) == cap(keys) {
					i++
					break
				}
			}
		}
	}
	if len(keys) > l {
		lowest(keys, l)
		keys = keys[:l]
	}
	slices.Sort(keys)
	s.best = s.best[:0]
	for _, k := range keys {
		e := int32(uint32(k))
		s.best = append(s.best, scored{values[e], e})
	}
	return s.best
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
