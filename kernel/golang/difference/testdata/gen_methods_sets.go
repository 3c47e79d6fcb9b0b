// Generic types with methods, constraints and aliases.
package main

import "fmt"

type Num interface{ ~int | ~int64 | ~float64 }
type Opt[T any] struct {
	v  T
	ok bool
}

func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }
func (o Opt[T]) Map(f func(T) T) Opt[T] {
	if !o.ok {
		return o
	}
	return Some(f(o.v))
}
func (o Opt[T]) String() string {
	if !o.ok {
		return "None"
	}
	return fmt.Sprintf("Some(%v)", o.v)
}

type Tree[K interface{ Less(K) bool }, V any] struct {
	l, r *Tree[K, V]
	k    K
	v    V
}

func (t *Tree[K, V]) Put(k K, v V) *Tree[K, V] {
	if t == nil {
		return &Tree[K, V]{k: k, v: v}
	}
	switch {
	case k.Less(t.k):
		t.l = t.l.Put(k, v)
	case t.k.Less(k):
		t.r = t.r.Put(k, v)
	default:
		t.v = v
	}
	return t
}
func (t *Tree[K, V]) Walk(f func(K, V) bool) bool {
	return t == nil || t.l.Walk(f) && f(t.k, t.v) && t.r.Walk(f)
}

type S string

func (s S) Less(o S) bool { return s < o }

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T) Set[T] { s[v] = struct{}{}; return s }
func (s Set[T]) Len() int       { return len(s) }

type List[T any] []T

func (l List[T]) Each(f func(int, T)) {
	for i, v := range l {
		f(i, v)
	}
}

type Ptr[T any, P interface {
	*T
	Set(string)
}] struct{ v T }

func (p *Ptr[T, P]) Do(s string) { P(&p.v).Set(s) }

type N struct{ s string }

func (n *N) Set(s string) { n.s = s }

type Vec[T Num] [3]T

func (v Vec[T]) Dot(o Vec[T]) (s T) {
	for i := range v {
		s += v[i] * o[i]
	}
	return
}
func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

type A[T any] = []Opt[T]
type M[K comparable] = map[K]A[K]

func Zero[T any]() (z T) { return }
func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case []T:
		return "[]T"
	case fmt.Stringer:
		return "Stringer"
	case Opt[int]:
		return "opt"
	}
	return fmt.Sprintf("%T", v)
}
func main() {
	fmt.Println(Some(3).Map(func(i int) int { return i * 2 }), Opt[string]{})
	var t *Tree[S, int]
	for i, w := range []S{"b", "a", "c", "a"} {
		t = t.Put(w, i)
	}
	t.Walk(func(k S, v int) bool { fmt.Print(k, v, " "); return k != "b" })
	fmt.Println(Set[int]{}.Add(1).Add(1).Add(2).Len())
	List[S]{"x", "y"}.Each(func(i int, s S) { fmt.Print(i, s, ";") })
	var p Ptr[N, *N]
	p.Do("set")
	fmt.Println(p.v.s, fmt.Sprintf("%T", p))
	fmt.Println(Vec[float64]{1, 2, 3}.Dot(Vec[float64]{4, 5, 6}))
	fmt.Println(Reduce([]int{1, 2, 3}, "", func(a string, i int) string { return a + fmt.Sprint(i) }))
	m := M[string]{"k": {Some("v")}}
	fmt.Printf("%v %T\n", m, m)
	fmt.Printf("%#v %q\n", Zero[Opt[int]](), Zero[S]())
	fmt.Println(kind(1), kind(Some(1)), kind([]int{}), kind(S("")))
	f := Opt[int].Map
	fmt.Println(f(Some(1), func(i int) int { return -i }))
	g := (*Ptr[N, *N]).Do
	g(&p, "again")
	fmt.Println(p.v)
}
