package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type Emp struct {
	Name string
	Age  int
	Tags []string
}

func main() {
	es := []Emp{{"Zed", 30, nil}, {"Ann", 25, []string{"x"}}, {"Bob", 30, nil}, {"Cat", 25, nil}}
	slices.SortStableFunc(es, func(a, b Emp) int { return cmp.Compare(a.Age, b.Age) })
	for _, e := range es {
		fmt.Print(e.Name, " ")
	}
	slices.SortFunc(es, func(a, b Emp) int {
		return cmp.Or(-cmp.Compare(a.Age, b.Age), strings.Compare(a.Name, b.Name))
	})
	fmt.Println(es)
	i := slices.IndexFunc(es, func(e Emp) bool { return e.Name == "Cat" })
	es = slices.Delete(es, i, i+1)
	es = slices.Insert(es, 1, Emp{Name: "New"}, Emp{Name: "Two"})
	slices.Reverse(es)
	fmt.Println(i, es)
	xs := []float64{3, 1, 2, 1}
	slices.Sort(xs)
	fmt.Println(slices.Compact(xs), slices.Repeat([]int{1, 2}, 2), slices.Concat([]int{1}, nil, []int{2}))
	fmt.Println(slices.Equal([]string{"a"}, []string{"a"}), slices.Compare([]int{1, 2}, []int{1, 3}),
		slices.Contains(xs, 2))
	fmt.Println(slices.Clip(make([]int, 1, 5)), cap(slices.Grow([]int{1}, 10)) >= 11, slices.Replace([]int{1, 2,
		3}, 0, 2, 9))
	fmt.Println(slices.MinFunc(es, func(a, b Emp) int { return cmp.Compare(a.Age, b.Age) }).Name)
}
