package main

import (
	"fmt"
	"sort"
)

type key struct {
	a int
	b string
}
type point [2]int
type shape interface{ area() int }
type sq int

func (s sq) area() int { return int(s * s) }

type rect struct{ w, h int }

func (r rect) area() int { return r.w * r.h }

func main() {
	m := map[key]int{{1, "a"}: 1}
	m[key{1, "a"}]++
	m[key{2, "b"}] += 5
	fmt.Println(m[key{1, "a"}], m[key{2, "b"}], m[key{}], len(m))
	g := map[point]bool{{1, 2}: true}
	fmt.Println(g[point{1, 2}], g[point{2, 1}])
	s := map[shape]string{sq(2): "sq", rect{1, 2}: "rect"}
	fmt.Println(s[sq(2)], s[rect{1, 2}], s[rect{2, 1}] == "", s[sq(3)] == "")
	a := map[any]string{1: "int", "1": "string", 1.0: "float", key{1, "x"}: "key", nil: "nil", true: "bool"}
	fmt.Println(a[1], a["1"], a[1.0], a[key{1, "x"}], a[nil], a[int64(1)] == "", a[true])
	type inner struct{ list []int }
	mi := map[string]inner{"a": {[]int{1}}}
	v := mi["a"]
	v.list = append(v.list, 2)
	mi["a"] = v
	mi["a"].list[0] = 9
	fmt.Println(mi)
	mm := map[string]map[string]int{}
	for _, w := range []string{"ab", "ac", "bc"} {
		k := w[:1]
		if mm[k] == nil {
			mm[k] = map[string]int{}
		}
		mm[k][w]++
	}
	fmt.Println(mm, len(mm["z"]), mm["z"]["q"])
	mp := map[string]*key{"p": {1, "q"}}
	mp["p"].a++
	fmt.Println(*mp["p"])
	ma := map[string][2]int{"x": {1, 2}}
	fmt.Println(ma["x"][1], ma["y"][1])
	delete(m, key{1, "a"})
	delete(m, key{9, ""})
	_, ok := m[key{1, "a"}]
	fmt.Println(len(m), ok)
	mf := map[string]func(int) int{"d": func(n int) int { return n * 2 }}
	fmt.Println(mf["d"](4))
	var keys []int
	for k := range map[int]struct{}{3: {}, 1: {}, 2: {}} {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	fmt.Println(keys)
	defer func() { fmt.Println(recover()) }()
	a[[]int{1}] = "x"
}
