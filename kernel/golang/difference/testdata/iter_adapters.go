package main

import (
	"fmt"
	"iter"
	"slices"
)

func Map[T, U any](s iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for v := range s {
			if !yield(f(v)) {
				return
			}
		}
	}
}

func Take[T any](s iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range s {
			if n--; n < 0 || !yield(v) {
				return
			}
		}
	}
}

func Naturals(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

type Sq int

func (s Sq) String() string { return fmt.Sprint("sq", int(s)) }

func main() {
	fmt.Println(slices.Collect(Take(Map(Naturals, func(i int) Sq { return Sq(i * i) }), 5)))
	fmt.Println(slices.Sorted(Take(Map(Naturals, func(i int) int { return (i*7 + 3) % 5 }), 5)))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, cap(c), " ")
	}
	for i, v := range slices.Backward([]string{"a", "b"}) {
		fmt.Print(i, v, " ")
	}
	fmt.Println(slices.AppendSeq([]int{9}, Take(Naturals, 2)))
}
