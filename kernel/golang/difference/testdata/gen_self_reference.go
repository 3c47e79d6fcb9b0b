package main

import (
	"fmt"
)

type Comparable[T any] interface{ Less(T) bool }

func Min[T Comparable[T]](a T, rest ...T) T {
	for _, b := range rest {
		if b.Less(a) {
			a = b
		}
	}
	return a
}

type Age int

func (a Age) Less(b Age) bool { return a < b }

type Node[T Comparable[T]] struct {
	val         T
	left, right *Node[T]
}

func (n *Node[T]) Insert(v T) *Node[T] {
	if n == nil {
		return &Node[T]{val: v}
	}
	if v.Less(n.val) {
		n.left = n.left.Insert(v)
	} else {
		n.right = n.right.Insert(v)
	}
	return n
}

func (n *Node[T]) Walk(f func(T)) {
	if n != nil {
		n.left.Walk(f)
		f(n.val)
		n.right.Walk(f)
	}
}

func main() {
	fmt.Println(Min(Age(5), 3, 9), Min(Age(1)))
	var root *Node[Age]
	for _, a := range []Age{5, 2, 8, 1, 9, 3} {
		root = root.Insert(a)
	}
	root.Walk(func(a Age) { fmt.Print(a, " ") })
	fmt.Println()
}
