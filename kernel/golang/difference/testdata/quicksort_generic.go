package main

import (
	"cmp"
	"fmt"
)

func sorted[T any](xs []T, less func(a, b T) int) []T {
	if len(xs) < 2 {
		return xs
	}
	var low, high []T
	for _, x := range xs[1:] {
		if less(x, xs[0]) < 0 {
			low = append(low, x)
		} else {
			high = append(high, x)
		}
	}
	return append(append(sorted(low, less), xs[0]), sorted(high, less)...)
}

type item struct {
	name string
	n    int
}

func main() {
	fmt.Println(sorted([]int{3, 1, 2, 3, 0}, cmp.Compare[int]))
	fmt.Println(sorted([]item{{"b", 2}, {"a", 2}, {"c", 1}}, func(a, b item) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.name, b.name)) }))
}
