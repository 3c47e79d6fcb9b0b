package main

import (
	"fmt"
	"strings"
)

func Apply[T, R any](xs []T, f func(T) R) (out []R) {
	for _, x := range xs {
		out = append(out, f(x))
	}
	return
}

func Double[T ~int | ~float64](v T) T { return v * 2 }

func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func add[T ~int | ~string](a, b T) T { return a + b }

func main() {
	fmt.Println(Apply([]string{"a", "b"}, strings.ToUpper))
	fmt.Println(Apply([]int{1, 2}, Double))
	fmt.Println(Reduce([]string{"x", "y"}, ">", add))
	var f func(float64) float64 = Double
	fmt.Println(f(1.25), Reduce([]int{1, 2, 3}, 0, add[int]))
}
