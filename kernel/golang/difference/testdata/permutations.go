package main

import (
	"fmt"
)

func permute[T any](xs []T, k int, visit func([]T) bool) bool {
	if k == len(xs) {
		return visit(xs)
	}
	for i := k; i < len(xs); i++ {
		xs[k], xs[i] = xs[i], xs[k]
		ok := permute(xs, k+1, visit)
		xs[k], xs[i] = xs[i], xs[k]
		if !ok {
			return false
		}
	}
	return true
}
func main() {
	permute([]string{"a", "b", "c"}, 0, func(s []string) bool { fmt.Print(s, " "); return true })
	n := 0
	done := permute([]int{1, 2, 3, 4, 5}, 0, func(x []int) bool { n++; return n < 50 })
	fmt.Println(n, done)
}
