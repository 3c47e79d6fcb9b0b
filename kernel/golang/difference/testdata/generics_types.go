package main

import (
	"cmp"
	"fmt"
)

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(v T) { s.items = append(s.items, v) }
func (s *Stack[T]) Pop() (v T, ok bool) {
	if len(s.items) == 0 {
		return v, false
	}
	v = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, true
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) String() string { return fmt.Sprintf("%v=>%v", p.Key, p.Val) }

type Tree[T cmp.Ordered] struct {
	left, right *Tree[T]
	val         T
}

func (t *Tree[T]) Insert(v T) *Tree[T] {
	if t == nil {
		return &Tree[T]{val: v}
	}
	switch {
	case v < t.val:
		t.left = t.left.Insert(v)
	case v > t.val:
		t.right = t.right.Insert(v)
	}
	return t
}

func (t *Tree[T]) All(yield func(T) bool) bool {
	return t == nil || (t.left.All(yield) && yield(t.val) && t.right.All(yield))
}

type List[T any] struct {
	head *node[T]
	n    int
}

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Add(v T) {
	l.head = &node[T]{v, l.head}
	l.n++
}

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T) Set[T] { s[v] = struct{}{}; return s }
func (s Set[T]) Has(v T) bool   { _, ok := s[v]; return ok }

type Num interface{ ~int | ~float64 }

type Matrix[T Num] [][]T

func (m Matrix[T]) Trace() (t T) {
	for i := range m {
		t += m[i][i]
	}
	return
}

func main() {
	var s Stack[string]
	s.Push("a")
	s.Push("b")
	v, ok := s.Pop()
	fmt.Println(v, ok, len(s.items))
	ps := []Pair[string, int]{{"x", 1}, {"y", 2}}
	fmt.Println(ps, ps[0] == Pair[string, int]{"x", 1})
	fmt.Printf("%T %v %+v\n", ps[0], ps[0], ps[0])
	var t *Tree[int]
	for _, v := range []int{5, 2, 8, 1, 9, 2} {
		t = t.Insert(v)
	}
	t.All(func(v int) bool { fmt.Print(v, " "); return v < 8 })
	fmt.Println()
	var l List[Pair[int, bool]]
	l.Add(Pair[int, bool]{1, true})
	l.Add(Pair[int, bool]{2, false})
	for n := l.head; n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	fmt.Println(l.n)
	st := Set[rune]{}.Add('a').Add('b')
	fmt.Println(st.Has('a'), st.Has('z'), len(st))
	fmt.Println(Matrix[float64]{{1, 2}, {3, 4.5}}.Trace(), Matrix[int]{{1}}.Trace())
	var x any = Stack[int]{}
	_, isInt := x.(Stack[int])
	_, isStr := x.(Stack[string])
	fmt.Println(isInt, isStr)
}
