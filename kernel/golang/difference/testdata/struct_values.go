package main

import (
	"fmt"
	"unsafe"
)

type P struct{ X, Y int }
type Line struct{ A, B P }
type Big struct {
	name string
	pts  []P
	m    map[P]string
	l    Line
	arr  [3]P
}

func change(b Big) Big {
	b.name = "changed"
	b.l.A.X = 99
	b.arr[1].Y = 7
	b.pts[0].X = -1
	return b
}

func swap(a, b P) (P, P) { return b, a }

func main() {
	b := Big{name: "b", pts: []P{{1, 2}}, m: map[P]string{{1, 2}: "one"}, l: Line{P{1, 2}, P{3, 4}}}
	c := change(b)
	fmt.Println(b, c)
	fmt.Println(b.l == c.l, b.l.B == c.l.B, b.m[P{1, 2}], Line{} == Line{})
	x, y := swap(P{1, 2}, P{3, 4})
	fmt.Println(x, y)
	p := &b.arr[2]
	p.X = 5
	q := &b.l.B
	*q = P{8, 9}
	fmt.Println(b.arr, b.l)
	anon := struct {
		P
		z int
	}{P{1, 2}, 3}
	fmt.Println(anon.X, anon.z, anon)
	ps := []*P{{1, 1}, {2, 2}}
	for _, p := range ps {
		p.X *= 10
	}
	fmt.Println(*ps[0], *ps[1])
	m := map[string]P{"a": {1, 2}}
	v := m["a"]
	v.X = 100
	fmt.Println(m, v)
	arr := [2][2]int{{1, 2}, {3, 4}}
	brr := arr
	brr[0][0] = 9
	fmt.Println(arr, brr, arr != brr)
	for i, row := range arr {
		row[0] = 100
		arr[1][1] = i
	}
	fmt.Println(arr)
	var e struct{}
	fmt.Println(e, unsafe.Sizeof(b.l), len([0]int{}))
	type local struct{ P }
	fmt.Println(local{P{5, 6}}.Y)
}
