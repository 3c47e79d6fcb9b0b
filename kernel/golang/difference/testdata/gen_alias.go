package main

import "fmt"

type Set[T comparable] = map[T]struct{}

type Vec = []float64

type Pair[A, B any] struct {
	A A
	B B
}

type IntPair[B any] = Pair[int, B]

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.B, p.A} }

func main() {
	s := Set[string]{"a": {}, "b": {}}
	_, ok := s["a"]
	fmt.Println(len(s), ok, Vec{1, 2})
	p := IntPair[string]{1, "x"}
	fmt.Println(p, p.Swap(), p.Swap().Swap() == p)
	fmt.Printf("%T %T %T\n", p, p.Swap(), s)
	var q Pair[int, string] = p
	fmt.Printf("%#v %+v\n", q, q)
}
