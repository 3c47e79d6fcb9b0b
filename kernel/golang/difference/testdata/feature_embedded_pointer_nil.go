package main

import (
	"fmt"
)

type base struct{ id int }

func (b *base) ok() bool { return b != nil }
func (b base) get() int  { return b.id }

type outer struct {
	*base
	name string
}

func main() {
	o := outer{name: "x"}
	fmt.Println(o.ok(), o.base == nil)
	o.base = &base{3}
	fmt.Println(o.ok(), o.get(), o.id)
	o.base = nil
	defer func() { fmt.Println(recover()) }()
	fmt.Println(o.get())
}
