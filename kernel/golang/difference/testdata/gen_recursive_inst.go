package main

import (
	"fmt"
)

type Tree[T any] struct {
	Val  T
	Kids []Tree[T]
}

func (t Tree[T]) Depth() int {
	d := 0
	for _, k := range t.Kids {
		d = max(d, k.Depth())
	}
	return d + 1
}

func MapTree[T, U any](t Tree[T], f func(T) U) Tree[U] {
	out := Tree[U]{Val: f(t.Val)}
	for _, k := range t.Kids {
		out.Kids = append(out.Kids, MapTree(k, f))
	}
	return out
}

func main() {
	t := Tree[int]{1, []Tree[int]{{2, nil}, {3, []Tree[int]{{4, nil}}}}}
	fmt.Println(t, t.Depth())
	u := MapTree(t, func(i int) string { return fmt.Sprint("n", i) })
	fmt.Printf("%+v\n%T\n", u, u)
}
