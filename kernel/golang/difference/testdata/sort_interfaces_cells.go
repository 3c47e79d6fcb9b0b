package main

import (
	"fmt"
	"sort"
)

type Planet struct {
	Name string
	Mass float64
}

type By func(a, b *Planet) bool

type sorter struct {
	ps []Planet
	by By
}

func (s *sorter) Len() int           { return len(s.ps) }
func (s *sorter) Swap(i, j int)      { s.ps[i], s.ps[j] = s.ps[j], s.ps[i] }
func (s *sorter) Less(i, j int) bool { return s.by(&s.ps[i], &s.ps[j]) }
func (by By) Sort(ps []Planet)       { sort.Sort(&sorter{ps, by}) }

type Ints []int

func (x Ints) Len() int           { return len(x) }
func (x Ints) Less(i, j int) bool { return x[i] < x[j] }
func (x Ints) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

func main() {
	ps := []Planet{{"Mercury", .055}, {"Venus", .815}, {"Earth", 1}, {"Mars", .107}}
	By(func(a, b *Planet) bool { return a.Mass < b.Mass }).Sort(ps)
	fmt.Println(ps)
	sort.Slice(ps, func(i, j int) bool { return ps[i].Name < ps[j].Name })
	fmt.Println(ps[0].Name, sort.SliceIsSorted(ps, func(i, j int) bool { return ps[i].Name < ps[j].Name }))
	x := Ints{3, 1, 2}
	sort.Sort(sort.Reverse(x))
	fmt.Println(x, sort.IsSorted(x))
	sort.Stable(x)
	fmt.Println(x, sort.Search(len(x), func(i int) bool { return x[i] >= 2 }))
	i, ok := sort.Find(len(x), func(i int) int { return 3 - x[i] })
	fmt.Println(i, ok, sort.SearchInts(x, 3))
	sort.SliceStable(ps, func(i, j int) bool { return len(ps[i].Name) < len(ps[j].Name) })
	fmt.Println(ps)
}
