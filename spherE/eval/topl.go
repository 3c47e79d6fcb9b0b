package eval

import (
	"fmt"
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

// selection finds the l smallest of many values with a heap of l elements whose root is the worst of them,
// so most values cost one comparison.
type selection struct{ heap []scored }

// smallest returns the l entities of smallest (value, id), best first, fewer when there are fewer values that
// are not NaN. The result is valid until the next call.
func (s *selection) smallest(values []float32, l int) []scored {
	h := s.heap[:0]
	i := 0
	for ; i < len(values) && len(h) < l; i++ {
		if v := values[i]; v == v {
			h = append(h, scored{v, int32(i)})
		}
	}
	s.heap = h
	for r := len(h)/2 - 1; r >= 0; r-- {
		sink(h, r)
	}
	if len(h) > 0 {
		worst := h[0].value
		for ; i < len(values); i++ {
			// Ids grow, so an equal value can never displace one that is held. NaN fails the test too.
			if v := values[i]; v < worst {
				h[0] = scored{v, int32(i)}
				sink(h, 0)
				worst = h[0].value
			}
		}
	}
	for n := len(h) - 1; n > 0; n-- { // heap sort: the worst goes to the end
		h[0], h[n] = h[n], h[0]
		sink(h[:n], 0)
	}
	return h
}

// sink restores the heap order below r: no element comes before its children.
func sink(h []scored, r int) {
	x := h[r]
	for {
		c := 2*r + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c].before(h[c+1]) {
			c++
		}
		if !x.before(h[c]) {
			break
		}
		h[r] = h[c]
		r = c
	}
	h[r] = x
}
