package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type person struct {
	name string
	age  int
}

func main() {
	people := []person{{"Ann", 30}, {"Bob", 25}, {"Cid", 30}}
	byAge := map[int][]string{}
	for _, p := range people {
		byAge[p.age] = append(byAge[p.age], p.name)
	}
	for _, age := range slices.Sorted(maps.Keys(byAge)) {
		fmt.Println(age, byAge[age])
	}
	slices.SortStableFunc(people, func(a, b person) int { return a.age - b.age })
	fmt.Println(people)
	i, ok := slices.BinarySearchFunc(people, 30, func(p person, n int) int { return p.age - n })
	fmt.Println(i, ok, slices.ContainsFunc(people, func(p person) bool { return p.name == "Bob" }))
	fmt.Println(slices.Collect(maps.Values(map[string]int{"a": 1})))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c)
	}
	fmt.Println(slices.MaxFunc(people, func(a, b person) int { return strings.Compare(a.name, b.name) }))
	for i, p := range slices.Backward(people) {
		fmt.Print(i, p.name, " ")
	}
	fmt.Println(slices.Index(people, person{"Bob", 25}), slices.Equal(people, slices.Clone(people)))
	for part := range strings.SplitSeq("a,b,c", ",") {
		fmt.Print(part, ";")
	}
	fmt.Println()
}
