package main

import (
	"fmt"
)

func two() (int, string)         { return 1, "s" }
func three() (a, b int, c error) { return 1, 2, nil }

func sum(a, b int, c error) int { return a + b }
func vs(xs ...any) int          { return len(xs) }

type T struct {
	a int
	s []int
}

func main() {
	fmt.Println(two())
	fmt.Println(sum(three()), vs(three()), vs(two()))
	a, b := 1, 2
	a, b = b, a+b
	var t T
	t.s = make([]int, 2)
	t.a, t.s[t.a], t.s[1] = 1, 7, 8
	fmt.Println(a, b, t)
	p := &t
	p, p.a = nil, 99
	fmt.Println(p == nil, t.a)
	i, j := 0, 1
	arr := [3]int{10, 20, 30}
	i, arr[i], j = j, arr[j], i
	fmt.Println(i, j, arr)
	var _, s = two()
	_, _ = a, s
	x, y := two()
	x, z := 5, y
	fmt.Println(x, y, z)
	fn := func() (f func(), err error) { return func() { fmt.Println("called") }, nil }
	g, _ := fn()
	g()
}
