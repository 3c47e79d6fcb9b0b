package search

import (
	"cmp"
	"slices"
)

// Promote chooses the trials that go on after a rung of successive halving: of scores, which belong to trials, one in
// keep, at least one, the best first. A trial that failed, whose score is NaN, never goes on. Equal scores keep their
// order.
func Promote(scores []float64, keep int) []int {
	order := Rank(scores)
	n := max(1, len(scores)/keep)
	order = order[:min(n, len(order))]
	return slices.DeleteFunc(order, func(i int) bool { return scores[i] != scores[i] })
}

// Rank orders trials by score, the best first. NaN comes last.
func Rank(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
