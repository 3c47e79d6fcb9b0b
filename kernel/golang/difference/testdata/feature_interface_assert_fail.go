package main

import (
	"fmt"
)

type walker interface{ walk() }
type cat struct{}

func (*cat) walk() {}
func try(f func()) { defer func() { fmt.Println(recover()) }(); f() }
func main() {
	var x any = cat{}
	try(func() { _ = x.(walker) })
	try(func() { _ = x.(int) })
	x = nil
	try(func() { _ = x.(walker) })
	try(func() { _ = x.(cat) })
	x = &cat{}
	w, ok := x.(walker)
	fmt.Println(w != nil, ok)
}
