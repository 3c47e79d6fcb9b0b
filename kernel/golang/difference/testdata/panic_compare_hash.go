package main

import (
	"fmt"
)

type F func()
type S struct {
	n int
	x any
}

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	var a, b any = F(nil), F(nil)
	try(func() { fmt.Println(a == b) })
	a, b = []int{}, []int{}
	try(func() { fmt.Println(a == b) })
	a, b = map[string]int{}, 1
	try(func() { fmt.Println(a == b) })
	try(func() { fmt.Println(S{1, []int{}} == S{2, []int{}}) })
	try(func() { fmt.Println(S{1, []S{}} == S{1, []S{}}) })
	m := map[any]int{}
	try(func() { m[[]string{}] = 1 })
	try(func() { m[S{1, F(nil)}] = 1 })
	try(func() { _ = m[map[int]int{}] })
	try(func() { m[S{1, 2}] = 3; fmt.Println(m[S{1, 2}], m[S{1, 2.0}]) })
	try(func() { a, b := any([1]any{F(nil)}), any([1]any{F(nil)}); fmt.Println(a == b) })
}
