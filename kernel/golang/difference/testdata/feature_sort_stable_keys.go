package main

import (
	"fmt"
	"slices"
	"sort"
)

type e struct {
	k string
	n int
}

func main() {
	l := []e{{"b", 1}, {"a", 2}, {"b", 0}, {"a", 1}}
	sort.SliceStable(l, func(i, j int) bool { return l[i].k < l[j].k })
	fmt.Println(l)
	slices.SortStableFunc(l, func(a, b e) int { return a.n - b.n })
	fmt.Println(l)
	i, ok := slices.BinarySearchFunc(l, 1, func(x e, n int) int { return x.n - n })
	fmt.Println(i, ok, sort.SearchInts([]int{1, 3, 5}, 4))
}
