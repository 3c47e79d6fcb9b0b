package main

import "fmt"

type Tree[T any] struct {
	Value T
	Kids  []Tree[T]
}

func (t Tree[T]) Walk(f func(depth int, v T)) { t.walk(0, f) }

func (t Tree[T]) walk(d int, f func(int, T)) {
	f(d, t.Value)
	for _, k := range t.Kids {
		k.walk(d+1, f)
	}
}

type Graph[K comparable] map[K]map[K]Graph[K]

func fold[T, A any](t Tree[T], a A, f func(A, T) A) A {
	a = f(a, t.Value)
	for _, k := range t.Kids {
		a = fold(k, a, f)
	}
	return a
}

func main() {
	t := Tree[string]{"a", []Tree[string]{{"b", nil}, {"c", []Tree[string]{{Value: "d"}}}}}
	t.Walk(func(d int, s string) { fmt.Printf("%*s%s\n", d*2, "", s) })
	fmt.Println(fold(t, 0, func(n int, s string) int { return n + len(s) }))
	g := Graph[int]{1: {2: nil}}
	fmt.Println(len(g), len(g[1]), g[1][2] == nil, t)
}
