package main

import "fmt"

type List[T any] struct {
	head, tail *node[T]
	n          int
}

type node[T any] struct {
	value T
	next  *node[T]
}

func (l *List[T]) Push(v T) *List[T] {
	n := &node[T]{value: v}
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
	l.n++
	return l
}

func (l *List[T]) All() func(yield func(int, T) bool) {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.value) {
				return
			}
			i++
		}
	}
}

func Map[T, U any](l *List[T], f func(T) U) *List[U] {
	out := new(List[U])
	for _, v := range l.All() {
		out.Push(f(v))
	}
	return out
}

func main() {
	l := new(List[int]).Push(1).Push(2).Push(3)
	for i, s := range Map(l, func(n int) string { return fmt.Sprint(n * n) }).All() {
		fmt.Println(i, s)
		if i == 1 {
			break
		}
	}
	fmt.Printf("%T %d\n", l, l.n)
}
