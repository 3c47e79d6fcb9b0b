package main

import (
	"fmt"
	"maps"
	"slices"
)

func GroupBy[T any, K comparable](xs []T, key func(T) K) map[K][]T {
	out := map[K][]T{}
	for _, x := range xs {
		k := key(x)
		out[k] = append(out[k], x)
	}
	return out
}

func Invert[M ~map[K]V, K, V comparable](m M) map[V]K {
	out := make(map[V]K, len(m))
	for k, v := range m {
		out[v] = k
	}
	return out
}

type Word string

func main() {
	g := GroupBy([]Word{"apple", "bob", "cat", "alice", "bird"}, func(w Word) byte { return w[0] })
	for _, k := range slices.Sorted(maps.Keys(g)) {
		fmt.Printf("%c %v\n", k, g[k])
	}
	fmt.Println(Invert(map[Word]int{"one": 1, "two": 2}))
	c := maps.Clone(g)
	delete(c, 'a')
	fmt.Println(len(g), len(c), maps.EqualFunc(g, g, func(a, b []Word) bool { return slices.Equal(a, b) }))
}
