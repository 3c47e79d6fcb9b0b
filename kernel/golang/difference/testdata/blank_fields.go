package main

import (
	"fmt"
	"unsafe"
)

type point struct{ x, _, y int32 }

type gap struct {
	_ struct{ a, b int }
	n int
}

type wide struct {
	_    *int
	rows [2]point
	name string
}

var written = struct{ a, _, c int }{1, 2, 3}

func main() {
	fmt.Println(written, point{1, 2, 3}, gap{struct{ a, b int }{1, 2}, 3})
	three := [3]int32{1, 2, 3}
	other := [3]int32{1, 7, 3}
	p, q := *(*point)(unsafe.Pointer(&three)), *(*point)(unsafe.Pointer(&other))
	fmt.Println(p == q, any(p) == any(q), p == point{x: 1, y: 3})
	m := map[point]int{}
	m[p]++
	m[q]++
	fmt.Println(len(m), m[point{x: 1, y: 3}])
	a := struct{ a, b, n int }{1, 2, 3}
	b := struct{ a, b, n int }{4, 5, 3}
	g, h := (*gap)(unsafe.Pointer(&a)), (*gap)(unsafe.Pointer(&b))
	fmt.Println(*g == *h, any(*g) == any(*h), *g != *h)
	n := 5
	v := wide{&n, [2]point{{1, 2, 3}, {x: 4}}, "w"}
	w := wide{nil, [2]point{{1, 9, 3}, {x: 4}}, "w"}
	fmt.Println(v == w, any(v) == any(w), v.rows[0] == w.rows[0])
	array := [2]gap{*g, *h}
	fmt.Println(array == [2]gap{*h, *g})
	func(u gap) { fmt.Println(u == *h, u.n) }(*g)
}
