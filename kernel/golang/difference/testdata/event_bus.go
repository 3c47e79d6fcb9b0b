package main

import (
	"fmt"
)

type event interface{ name() string }
type created struct{ id int }
type removed struct {
	id  int
	why string
}

func (created) name() string { return "created" }
func (removed) name() string { return "removed" }

type bus struct{ handlers map[string][]func(event) }

func on[E event](b *bus, f func(E)) {
	var zero E
	if b.handlers == nil {
		b.handlers = map[string][]func(event){}
	}
	b.handlers[zero.name()] = append(b.handlers[zero.name()], func(e event) { f(e.(E)) })
}
func (b *bus) emit(e event) int {
	for _, h := range b.handlers[e.name()] {
		h(e)
	}
	return len(b.handlers[e.name()])
}
func main() {
	var b bus
	on(&b, func(c created) { fmt.Println("made", c.id) })
	on(&b, func(r removed) { fmt.Println("gone", r) })
	on(&b, func(r removed) { fmt.Printf("%+v\n", r) })
	fmt.Println(b.emit(created{1}), b.emit(removed{2, "old"}))
}
