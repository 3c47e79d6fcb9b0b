package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		na, stopA := iter.Pull(a)
		defer stopA()
		nb, stopB := iter.Pull(b)
		defer stopB()
		for {
			x, ok := na()
			y, also := nb()
			if !ok || !also || !yield(x, y) {
				return
			}
		}
	}
}

func main() {
	for a, b := range zip(slices.Values([]int{1, 2, 3}), slices.Values([]string{"x", "y"})) {
		fmt.Print(a, b, " ")
	}
	next, stop := iter.Pull2(maps.All(map[string]int{"k": 1}))
	fmt.Println(next())
	fmt.Println(next())
	stop()
	fmt.Println(next())
}
