package main

import (
	"fmt"
	"iter"
)

type List[T any] struct {
	head *node[T]
	size int
}

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Push(v T) { l.head = &node[T]{v, l.head}; l.size++ }

func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.v) {
				return
			}
			i++
		}
	}
}

func (l List[T]) Each(yield func(T) bool) {
	for _, v := range l.All() {
		if !yield(v) {
			return
		}
	}
}

func main() {
	l := &List[string]{}
	for _, s := range []string{"a", "b", "c"} {
		l.Push(s)
	}
	for i, v := range l.All() {
		fmt.Print(i, v, " ")
	}
	for v := range l.Each {
		if v == "a" {
			break
		}
		fmt.Print(v, " ")
	}
	fmt.Println(l.size)
}
