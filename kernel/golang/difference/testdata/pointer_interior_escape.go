package main

import (
	"fmt"
)

type T struct {
	a  int
	in struct{ b, c int }
	ar [3]int
}

func field() *int                   { t := T{}; t.in.c = 5; return &t.in.c }
func elem() *int                    { t := T{ar: [3]int{7, 8, 9}}; return &t.ar[1] }
func param(t T, n int) (*int, *int) { return &t.a, &n }
func multi() (a, b *int) {
	x := 1
	a = &x
	x++
	b = &x
	return
}

func main() {
	fmt.Println(*field(), *elem())
	t := T{a: 4}
	p, n := param(t, 3)
	*p = 40
	fmt.Println(t.a, *p, *n)
	a, b := multi()
	*a = 10
	fmt.Println(*b, a == b)
	var ps []*int
	for i := range 3 {
		x := i * i
		ps = append(ps, &x)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	in := &t.in
	in.b = 6
	t2 := t
	in.b = 7
	fmt.Println(t.in.b, t2.in.b)
}
