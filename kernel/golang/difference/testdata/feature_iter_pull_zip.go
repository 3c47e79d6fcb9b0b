package main

import (
	"fmt"
	"iter"
	"slices"
)

func zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(y func(A, B) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for x := range a {
			v, ok := next()
			if !ok || !y(x, v) {
				return
			}
		}
	}
}
func main() {
	for a, b := range zip(slices.Values([]int{1, 2, 3}), slices.Values([]string{"x", "y"})) {
		fmt.Print(a, b, " ")
	}
	fmt.Println()
}
