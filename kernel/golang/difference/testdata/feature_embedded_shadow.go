package main

import (
	"fmt"
)

type a struct{ x, y int }
type b struct {
	a
	x string
}
type c struct {
	b
	y float64
}

func main() {
	v := c{b{a{1, 2}, "s"}, 2.5}
	fmt.Println(v.x, v.y, v.a.x, v.b.a.y, v.b.x)
	v.a.x = 7
	fmt.Printf("%+v %v\n", v, v.b.y)
}
