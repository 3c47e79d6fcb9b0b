package eval

import (
	"cmp"
	"math"
	"slices"
)

// Spearman is the rank correlation of x and y, which are equally long: Pearson's correlation of their ranks, where
// equal values share the mean of their ranks. Ranks are doubled, so that they are whole numbers and their sums are
// exact for up to a million values. It returns NaN if one side is constant or there are fewer than two values.
func Spearman(x, y []float64) float64 {
	a, b := doubleRanks(x), doubleRanks(y)
	mean := int64(len(x) + 1) // of doubled ranks
	var xy, xx, yy int64
	for i := range a {
		u, v := a[i]-mean, b[i]-mean
		xy, xx, yy = xy+u*v, xx+u*u, yy+v*v
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return float64(xy) / math.Sqrt(float64(xx)*float64(yy))
}

// doubleRanks are twice the ranks of the values, from 2; equal values have twice the mean of their ranks.
func doubleRanks(values []float64) []int64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]int64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = int64(from + 1 + to)
		}
		from = to
	}
	return ranks
}
