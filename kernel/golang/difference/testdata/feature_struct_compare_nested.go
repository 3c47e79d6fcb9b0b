package main

import (
	"fmt"
)

type in struct {
	a [2]string
	b any
}
type out struct {
	in
	p *int
	f float64
}

func main() {
	n := 1
	x := out{in{[2]string{"a", "b"}, 2}, &n, 1.5}
	y := x
	fmt.Println(x == y)
	y.b = 2.0
	fmt.Println(x == y)
	y = x
	y.a[1] = "c"
	fmt.Println(x == y, x.in == in{[2]string{"a", "b"}, 2})
	m := map[out]int{x: 1}
	m[x]++
	fmt.Println(m[x], len(m))
}
