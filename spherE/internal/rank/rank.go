// Package rank ranks the answers of a query among all entities.
package rank

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Answers writes twice the filtered realistic rank of each of a query's own answers to dst. values has the value of
// every entity, less is better; nan is the number of NaN values. The rank is the mean of the optimistic rank (1 +
// entities with a smaller value) and the pessimistic rank (also + entities with an equal value). The other entities of
// truth, ascending, do not count. All NaN values are tied with each other behind everything else.
func Answers(counts *simd.Counts, own, truth []int32, values []float32, nan int32, dst []int32) {
	numbers := int32(len(values)) - nan
	for k, a := range own {
		v := values[a]
		var less, equal int32 // equal counts the answer itself
		if v != v {
			less, equal = numbers, nan
			for _, b := range truth {
				if values[b] == values[b] {
					less--
				} else {
					equal--
				}
			}
		} else {
			if k > 0 && v == values[own[k-1]] {
				dst[k] = dst[k-1]
				continue
			}
			below, ties := counts.Below(values, v)
			less, equal = int32(below), int32(ties)
			for _, b := range truth {
				if values[b] < v {
					less--
				} else if values[b] == v {
					equal--
				}
			}
		}
		if _, filtered := slices.BinarySearch(truth, a); !filtered { // a distractor, which is still in equal
			equal--
		}
		// The answer itself is not in equal: optimistic = 1+less, pessimistic = 1+less+equal.
		dst[k] = 2 + 2*less + equal
	}
}
