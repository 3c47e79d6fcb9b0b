package main

import (
	"fmt"
)

type Acc[T ~int | ~string] struct{ v T }

func (a *Acc[T]) Add(x T) { a.v += x }
func (a Acc[T]) Get() T   { return a.v }

func Each[T any](xs []T, f func(T)) {
	for _, x := range xs {
		f(x)
	}
}

func main() {
	var a Acc[int]
	Each([]int{1, 2, 3}, a.Add)
	get := a.Get
	a.Add(100)
	fmt.Println(a.Get(), get())
	f := (*Acc[string]).Add
	var s Acc[string]
	f(&s, "x")
	f(&s, "y")
	fmt.Println(Acc[string].Get(s), s)
	fmt.Printf("%T %T\n", f, Acc[int].Get)
}
