package main

import (
	"fmt"
	"maps"
	"slices"
)

type set[T comparable] map[T]struct{}

func of[T comparable](xs ...T) set[T] {
	s := set[T]{}
	for _, x := range xs {
		s[x] = struct{}{}
	}
	return s
}
func (s set[T]) union(t set[T]) set[T] { u := maps.Clone(s); maps.Copy(u, t); return u }
func (s set[T]) minus(t set[T]) set[T] {
	u := maps.Clone(s)
	maps.DeleteFunc(u, func(x T, _ struct{}) bool { _, ok := t[x]; return ok })
	return u
}
func main() {
	a, b := of(1, 2, 3), of(3, 4)
	fmt.Println(slices.Sorted(maps.Keys(a.union(b))), slices.Sorted(maps.Keys(a.minus(b))), len(a),
		maps.Equal(a, of(3, 2, 1)))
}
