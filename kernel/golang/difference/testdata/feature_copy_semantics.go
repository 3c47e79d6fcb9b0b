package main

import (
	"fmt"
)

type t struct {
	a [2]int
	s []int
	m map[int]int
}

func (v t) change() { v.a[0], v.s[0], v.m[0] = 9, 9, 9 }
func main() {
	v := t{[2]int{1, 2}, []int{1}, map[int]int{}}
	w := v
	v.change()
	w.a[1] = 7
	w.s = append(w.s, 3)
	fmt.Println(v, w)
	a := []t{v, w}
	for _, x := range a {
		x.a[0] = 100
	}
	b := a[0]
	b.s[0] = 50
	fmt.Println(a[0].a, a[0].s)
	c := any(v)
	v.a[0] = 3
	fmt.Println(c.(t).a[0])
}
