package eval

import (
	"github.com/spherelab/spherelab/spherE/internal/rank"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// row is what a cut sees of one query: its answers, and the value of every entity by the cut's criterion. It belongs to
// one worker.
type row struct {
	query
	counts     *simd.Counts
	values     []float32 // by entity; a NaN is in no set
	threshold  float32   // the criterion's own
	nan        int32     // values that are NaN, -1 before they are counted
	top        int       // the least number of entities to rank, if any are ranked
	ranked     []scored  // the best entities, best first
	requested  int       // entities requested for ranked, which has fewer where fewer values are numbers
	rank2      []int32   // of ranks, if filtered is true
	isFiltered bool
	selection
}

// set starts the row on another query or criterion.
func (r *row) set(q query, threshold float32) {
	r.query, r.threshold, r.nan, r.requested, r.isFiltered = q, threshold, -1, 0, false
}

// nans is the number of values that are NaN.
func (r *row) nans() int32 {
	if r.nan < 0 {
		_, nan := r.counts.Within(r.values, 0)
		r.nan = int32(nan)
	}
	return r.nan
}

// ranks returns twice the filtered realistic rank of each of the query's own answers. It is valid until the next query.
func (r *row) ranks() []int32 {
	if !r.isFiltered {
		r.isFiltered = true
		r.rank2 = append(r.rank2[:0], r.own...)
		rank.Answers(r.counts, r.own, r.truth, r.values, r.nans(), r.rank2)
	}
	return r.rank2
}

// within counts the set of entities with value <= threshold. A NaN on either side is in no set.
func (r *row) within(threshold float32) count {
	size, nan := r.counts.Within(r.values, threshold)
	r.nan = int32(nan)
	c, values := count{size: int32(size)}, r.values
	for k, answers := range r.answers() {
		for _, a := range answers {
			if values[a] <= threshold {
				c.of[k]++
			}
		}
	}
	return c
}

// best counts the set of the l entities of smallest (value, id), fewer where fewer values are numbers.
func (r *row) best(l int) count {
	if r.requested < l {
		r.requested = max(l, r.top)
		r.ranked = r.smallest(r.counts, r.values, r.requested)
	}
	size := min(l, len(r.ranked))
	if size == 0 {
		return count{}
	}
	last, values := r.ranked[size-1], r.values
	return r.countSet(size, func(a int32) bool { return !last.before(scored{values[a], a}) && values[a] == values[a] })
}

// countSet counts a set of the given size.
func (r *row) countSet(size int, member func(entity int32) bool) count {
	c := count{size: int32(size)}
	for k, answers := range r.answers() {
		for _, a := range answers {
			if member(a) {
				c.of[k]++
			}
		}
	}
	return c
}
