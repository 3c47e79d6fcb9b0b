package main

import (
	"fmt"
	"iter"
	"slices"
)

func chain[T any](s ...iter.Seq[T]) iter.Seq[T] {
	return func(y func(T) bool) {
		for _, q := range s {
			for x := range q {
				if !y(x) {
					return
				}
			}
		}
	}
}
func take[T any](s iter.Seq[T], n int) iter.Seq[T] {
	return func(y func(T) bool) {
		for x := range s {
			if n--; n < 0 || !y(x) {
				return
			}
		}
	}
}
func main() {
	s := chain(slices.Values([]int{1, 2}), slices.Values([]int{3, 4, 5}))
	fmt.Println(slices.Collect(take(s, 4)), slices.Collect(s))
}
