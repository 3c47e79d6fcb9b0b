package main

import (
	"fmt"
)

type Set[T comparable] = map[T]struct{}

type Vec[T any] = []T

type Two[T any] struct{ A, B T }

type Ints = Two[int]

func Add[T comparable](s Set[T], vs ...T) {
	for _, v := range vs {
		s[v] = struct{}{}
	}
}

func main() {
	s := Set[string]{}
	Add(s, "a", "b", "a")
	fmt.Println(len(s), s)
	var v Vec[Ints] = Vec[Ints]{{1, 2}, {3, 4}}
	fmt.Printf("%v %T %T %+v\n", v, v, s, v[1])
	var x any = v
	_, ok := x.([]Two[int])
	fmt.Println(ok)
}
