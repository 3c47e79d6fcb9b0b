package main

import "fmt"

type L []int

func (L) String() string { return "" }
func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}
func main() {
	var m map[any]int
	var s map[fmt.Stringer]int
	try(func() { delete(m, L{}) })
	try(func() { delete(s, L{}) })
	try(func() { m[L{}] = 1 })
	try(func() { s[L{}] = 1 })
	try(func() { _ = s[L{}] })
	s = map[fmt.Stringer]int{}
	try(func() { delete(s, L{}) })
	try(func() { s[L{}] = 1 })
	try(func() { _, ok := s[L{}]; _ = ok })
}
