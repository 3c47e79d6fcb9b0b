package main

import (
	"fmt"
	"maps"
	"slices"
)

type Pos struct{ X, Y int }
type Key struct {
	Pos
	Name string
	F    [2]float64
}

func main() {
	g := map[Pos][]string{}
	g[Pos{1, 2}] = append(g[Pos{1, 2}], "a", "b")
	g[Pos{}] = nil
	v, ok := g[Pos{}]
	fmt.Println(g, len(g), v == nil, ok)
	k := map[Key]*Pos{{Pos{1, 1}, "n", [2]float64{1, 2}}: {5, 6}}
	fmt.Println(k[Key{Pos{1, 1}, "n", [2]float64{1, 2}}].Y, k[Key{}] == nil)
	n := map[string]map[string]int{"a": {"x": 1}, "b": {}}
	n["a"]["y"] += 5
	n["b"]["z"]--
	fmt.Println(n)
	type cnt struct{ hits, misses int }
	c := map[rune]cnt{}
	for _, r := range "abca" {
		x := c[r]
		x.hits++
		c[r] = x
	}
	for _, r := range slices.Sorted(maps.Keys(c)) {
		fmt.Print(string(r), c[r], " ")
	}
	fmt.Println()
}
