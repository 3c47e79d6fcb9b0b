package main

import (
	"cmp"
	"fmt"
	"slices"
)

type Pair[A, B cmp.Ordered] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Compare(q Pair[A, B]) int {
	return cmp.Or(cmp.Compare(p.First, q.First), cmp.Compare(p.Second, q.Second))
}

func (p Pair[A, B]) String() string { return fmt.Sprintf("<%v,%v>", p.First, p.Second) }

func main() {
	ps := []Pair[string, int]{{"b", 2}, {"a", 9}, {"b", 1}, {"a", -3}}
	slices.SortFunc(ps, Pair[string, int].Compare)
	fmt.Println(ps)
	i, ok := slices.BinarySearchFunc(ps, Pair[string, int]{"b", 1}, Pair[string, int].Compare)
	fmt.Println(i, ok, slices.MaxFunc(ps, func(a, b Pair[string, int]) int { return a.Compare(b) }))
	fmt.Println(ps[0] == Pair[string, int]{"a", -3}, slices.Contains(ps, Pair[string, int]{"b", 3}))
}
