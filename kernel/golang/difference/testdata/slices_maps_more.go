package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

type emp struct {
	Name string
	Dept string
	Pay  float64
}

type IDs []int

func main() {
	es := []emp{{"a", "x", 3}, {"b", "y", 1}, {"c", "x", 2}}
	slices.SortFunc(es, func(a, b emp) int { return cmp.Compare(a.Pay, b.Pay) })
	fmt.Println(es, slices.IsSortedFunc(es, func(a, b emp) int { return cmp.Compare(a.Pay, b.Pay) }))
	i, found := slices.BinarySearchFunc(es, 2.0, func(e emp, t float64) int { return cmp.Compare(e.Pay, t) })
	fmt.Println(i, found, slices.ContainsFunc(es, func(e emp) bool { return e.Dept == "y" }))
	by := map[string][]emp{}
	for _, e := range es {
		by[e.Dept] = append(by[e.Dept], e)
	}
	for _, d := range slices.Sorted(maps.Keys(by)) {
		fmt.Print(d, len(by[d]), " ")
	}
	fmt.Println()
	ids := IDs{3, 1, 2, 3, 1}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	fmt.Printf("%v %T\n", ids, ids)
	fmt.Println(slices.Index(ids, 2), slices.Max(ids), slices.Min(ids), slices.Equal(ids, IDs{1, 2, 3}))
	ids = slices.Insert(ids, 1, 10, 11)
	ids = slices.Delete(ids, 0, 1)
	slices.Reverse(ids)
	fmt.Println(ids, slices.Clone(ids)[:2], slices.Repeat([]string{"z"}, 3), slices.Concat(ids, IDs{9}))
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	n := maps.Clone(m)
	maps.DeleteFunc(n, func(k string, v int) bool { return v%2 == 1 })
	fmt.Println(n, maps.Equal(m, n), len(m))
	maps.Copy(n, map[string]int{"q": 9})
	fmt.Println(n, slices.Sorted(maps.Values(m)))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c)
	}
	fmt.Println()
	mx := slices.MaxFunc(es, func(a, b emp) int { return cmp.Compare(a.Name, b.Name) })
	fmt.Println(mx.Name, cmp.Compare("a", "b"), cmp.Or("", "x"), slices.Compare([]int{1, 2}, []int{1, 3}))
	evens := func(yield func(int) bool) {
		for i := 0; yield(i); i += 2 {
		}
	}
	for i := range evens {
		if i > 6 {
			break
		}
		fmt.Print(i, " ")
	}
	fmt.Println(slices.Collect(maps.Keys(map[int]bool{7: true})))
}
