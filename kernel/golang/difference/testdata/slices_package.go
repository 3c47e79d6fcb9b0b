package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type person struct {
	name string
	age  int
}

func main() {
	ps := []person{{"Al", 30}, {"Bo", 25}, {"Cy", 30}}
	slices.SortFunc(ps, func(a, b person) int {
		return cmp.Or(cmp.Compare(a.age, b.age), strings.Compare(b.name, a.name))
	})
	fmt.Println(ps)
	i := slices.IndexFunc(ps, func(p person) bool { return p.name == "Al" })
	fmt.Println(i, slices.Contains([]int{1, 2}, 2), slices.Max([]float64{1, 5, 2}))
}
