package main

import (
	"fmt"
	"iter"
)

type Tree struct {
	L, R *Tree
	V    int
}

func (t *Tree) All() iter.Seq[int] {
	return func(yield func(int) bool) { t.push(yield) }
}

func (t *Tree) push(yield func(int) bool) bool {
	return t == nil || t.L.push(yield) && yield(t.V) && t.R.push(yield)
}

func (t *Tree) Walk(yield func(int, *Tree) bool) {
	if t == nil {
		return
	}
	for d, n := range t.L.Walk {
		if !yield(d+1, n) {
			return
		}
	}
	if !yield(0, t) {
		return
	}
	for d, n := range t.R.Walk {
		if !yield(d+1, n) {
			return
		}
	}
}

func main() {
	t := &Tree{&Tree{nil, &Tree{V: 2}, 1}, &Tree{V: 4}, 3}
	for v := range t.All() {
		fmt.Print(v, " ")
	}
	for d, n := range t.Walk {
		fmt.Print(d, ":", n.V, " ")
		if n.V == 3 {
			break
		}
	}
	fmt.Println()
}
