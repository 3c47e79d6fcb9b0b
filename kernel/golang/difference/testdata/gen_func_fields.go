package main

import (
	"fmt"
)

type Lazy[T any] struct {
	make func() T
	val  *T
}

func NewLazy[T any](f func() T) *Lazy[T] { return &Lazy[T]{make: f} }

func (l *Lazy[T]) Get() T {
	if l.val == nil {
		v := l.make()
		l.val = &v
	}
	return *l.val
}

func Compose[A, B, C any](f func(A) B, g func(B) C) func(A) C {
	return func(a A) C { return g(f(a)) }
}

func Curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}

func main() {
	n := 0
	l := NewLazy(func() []int { n++; return []int{n} })
	fmt.Println(l.Get(), l.Get(), n)
	h := Compose(func(i int) string { return fmt.Sprint(i * 2) }, func(s string) int { return len(s) })
	fmt.Println(h(7), h(70))
	add := Curry(func(a int, b string) string { return fmt.Sprint(a, b) })
	fmt.Println(add(1)("x"), add(2)("y"))
}
