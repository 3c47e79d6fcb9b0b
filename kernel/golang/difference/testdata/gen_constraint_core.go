package main

import (
	"fmt"
)

type List[E any] interface{ ~[]E }

func Map[S List[E], E, R any](s S, f func(E) R) []R {
	out := make([]R, 0, len(s))
	for _, e := range s {
		out = append(out, f(e))
	}
	return out
}

func Filter[S ~[]E, E any](s S, keep func(E) bool) S {
	var out S
	for _, e := range s {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

type Names []string

func (n Names) Join() string { return fmt.Sprint(len(n), []string(n)) }

func main() {
	n := Names{"anna", "bo", "carl"}
	short := Filter(n, func(s string) bool { return len(s) > 2 })
	fmt.Println(short.Join())
	fmt.Printf("%T %v\n", short, Map(short, func(s string) int { return len(s) }))
	fmt.Println(Map(Map([]int{1, 2}, func(i int) float64 { return float64(i) / 2 }),
		func(f float64) string { return fmt.Sprint(f) }))
}
