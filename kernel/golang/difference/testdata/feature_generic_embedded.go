package main

import (
	"fmt"
)

type base[T any] struct{ items []T }

func (b *base[T]) add(x T) *base[T] {
	b.items = append(b.items, x)
	return b
}

type named[T any] struct {
	base[T]
	name string
}
type ints struct{ named[int] }

func main() {
	n := &ints{}
	n.name = "n"
	n.add(1).add(2)
	fmt.Printf("%+v %T\n", *n, n.base)
	var z named[map[string]int]
	z.add(map[string]int{"a": 1})
	fmt.Println(z.items[0]["a"])
}
