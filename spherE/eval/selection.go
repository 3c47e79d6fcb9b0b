package eval

import (
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/order"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// scored is an entity with its value; smaller is better, equal values are ordered by id.
type scored struct {
	value  float32
	entity int32
}

func (a scored) before(b scored) bool {
	return a.value < b.value || (a.value == b.value && a.entity < b.entity)
}

// selection finds the best entities with their values.
type selection struct {
	order.Selection
	found []scored
}

// smallest returns the l entities of smallest (value, id), best first; fewer where fewer values are not NaN. The result
// is valid until the next call.
func (s *selection) smallest(counts *simd.Counts, values []float32, l int) []scored {
	s.found = s.found[:0]
	for _, k := range s.Smallest(counts, values, l) {
		e := order.Entity(k)
		s.found = append(s.found, scored{values[e], e})
	}
	return s.found
}

// newWithin appends the keys of the finite values up to reach to keys, which is empty, smallest first. Known entities
// are left out.
func newWithin(counts *simd.Counts, keys []uint64, values []float32, reach float32, known []int32) []uint64 {
	for i := counts.First(values, reach); i < len(values); i += 1 + counts.First(values[i+1:], reach) {
		if v := values[i]; v >= -math.MaxFloat32 && !kg.Contains(known, int32(i)) {
			keys = append(keys, order.Key(v, int32(i)))
		}
	}
	slices.Sort(keys)
	return keys
}
