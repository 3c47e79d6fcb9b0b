package search

import (
	"cmp"
	"slices"
)

// promote returns the trials that continue after a rung of successive halving: one in keep of the scores, at least one,
// the best first. A failed trial, whose score is NaN, never continues. Equal scores keep their order.
func promote(scores []float64, keep int) []int {
	order := ranking(scores)
	n := max(1, len(scores)/keep)
	order = order[:min(n, len(order))]
	return slices.DeleteFunc(order, func(i int) bool { return scores[i] != scores[i] })
}

// ranking orders trials by score, the best first. NaN comes last.
func ranking(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
