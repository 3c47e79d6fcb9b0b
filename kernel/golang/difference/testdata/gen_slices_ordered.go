package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

type Year int16

type Name string

func (n Name) String() string { return "name " + string(n) }

type Row[T cmp.Ordered] []T

func all[T cmp.Ordered](list []T, x T) {
	fmt.Println(list, slices.IsSorted(list), slices.Max(list), slices.Min(list), slices.Contains(list, x),
		slices.Index(list, x), slices.Equal(list, list[:len(list):len(list)]), slices.Equal(list, list[1:]))
	copied := slices.Clone(list)
	slices.Reverse(copied)
	fmt.Println(copied)
	slices.Sort(copied)
	fmt.Println(copied, slices.IsSorted(copied))
	at, found := slices.BinarySearch(copied, x)
	fmt.Println(at, found)
	short := slices.Compact(copied)
	fmt.Println(short, len(short), cap(short) == cap(copied), copied)
	part := copied[1:3]
	slices.Reverse(part)
	fmt.Println(copied)
}

type number interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr | float32 | float64
}

func whole[T number]() {
	var list []T
	for i := range 9 {
		list = append(list, T(i*i*7%11))
	}
	all(list, 6)
}

func try(what string, f func()) {
	defer func() { fmt.Println(what, recover()) }()
	f()
}

func main() {
	whole[int]()
	whole[int8]()
	whole[int16]()
	whole[int32]()
	whole[int64]()
	whole[uint]()
	whole[uint8]()
	whole[uint16]()
	whole[uint32]()
	whole[uint64]()
	whole[uintptr]()
	whole[float32]()
	whole[float64]()
	all([]string{"b", "", "Ä", "a", "b", "ab"}, "b")
	all([]Year{1905, -3, 1921, 1905}, 1921)
	all(Row[Name]{"Curie", "Bohr", "Curie", "Abel"}, "Bohr")
	odd := []float64{2, math.NaN(), math.Inf(-1), math.Copysign(0, -1), 0}
	all(odd, math.NaN())
	fmt.Println(slices.Max([]float64{1, math.NaN()}), slices.Sorted(maps.Keys(map[Name]int{"z": 1, "a": 2})))
	var none []int
	slices.Sort(none)
	fmt.Println(none == nil, slices.Compact(none) == nil, slices.Contains(none, 0))
	try("max", func() { slices.Max(none) })
	try("min", func() { fmt.Println(slices.Min(Row[string]{})) })
	type pair struct{ a, b int }
	pairs := []pair{{1, 2}, {1, 2}, {0, 3}}
	fmt.Println(slices.Contains(pairs, pair{0, 3}), slices.Index(pairs, pair{9, 9}), slices.Compact(pairs))
	boxed := []any{1, "a", 1.5}
	fmt.Println(slices.Index(boxed, any("a")), slices.Contains([]bool{true}, false))
	sort := slices.Sort[[]int]
	list := []int{3, 1, 2}
	sort(list)
	defer fmt.Println(list)
	defer slices.Reverse(list)
	done := make(chan bool)
	go func() { slices.Sort(list); done <- true }()
	<-done
}
