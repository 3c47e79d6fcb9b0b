package main

import (
	"fmt"
)

type t struct {
	n    int
	next *t
	arr  [2]int
}

func main() {
	v := t{n: 1}
	p, q, r := &v, &v.n, &v.arr[1]
	*q = 5
	*r = 6
	p.next = p
	p.next.next.n++
	fmt.Println(v.n, v.arr, p == v.next, *q)
	c := *p
	c.n = 0
	fmt.Println(v.n, c.next.n)
	pp := &p
	(*pp).n = 8
	*pp = &c
	fmt.Println(v.n, p.n)
}
