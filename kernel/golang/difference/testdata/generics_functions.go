package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Celsius float64

func Sum[T Number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func Map[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func Filter[S ~[]E, E any](s S, keep func(E) bool) S {
	var out S
	for _, e := range s {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func Zero[T any]() T {
	var z T
	return z
}

func Ptr[T any](v T) *T { return &v }

type IDs []int

func TypeName[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case string:
		return "string"
	case Celsius:
		return "Celsius"
	}
	return fmt.Sprintf("%T", v)
}

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[Celsius](1, 2.5), Sum[int64]())
	fmt.Println(Map([]int{1, 2, 3}, func(i int) string { return strings.Repeat("x", i) }))
	ids := Filter(IDs{1, 2, 3, 4}, func(i int) bool { return i%2 == 0 })
	fmt.Printf("%v %T\n", ids, ids)
	fmt.Println(Reduce([]string{"a", "bb"}, 0, func(n int, s string) int { return n + len(s) }))
	fmt.Println(Keys(map[string]bool{"z": true, "a": false}), Zero[string]() == "", Zero[*int]() == nil, *Ptr(5))
	fmt.Println(TypeName(1), TypeName("s"), TypeName(Celsius(1)), TypeName([]Celsius{}), TypeName(Ptr(1.5)))
	fmt.Println(max(3, 1, 2), min(2.5, 1), max("a", "b"))
}
