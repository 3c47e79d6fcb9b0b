package main

import (
	"fmt"
	"strings"
)

type Numeric interface{ ~int | ~float64 | ~complex128 }

type Matrix[T Numeric] [][]T

func (m Matrix[T]) Mul(n Matrix[T]) Matrix[T] {
	out := make(Matrix[T], len(m))
	for i := range m {
		out[i] = make([]T, len(n[0]))
		for j := range n[0] {
			for k := range n {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

func (m Matrix[T]) String() string {
	var b strings.Builder
	for _, row := range m {
		fmt.Fprintln(&b, row)
	}
	return b.String()
}

func main() {
	a := Matrix[int]{{1, 2}, {3, 4}}
	fmt.Print(a.Mul(a))
	fmt.Print(Matrix[complex128]{{1i}}.Mul(Matrix[complex128]{{1i, 2}}))
	fmt.Print(Matrix[float64]{{.5, 1}}.Mul(Matrix[float64]{{2}, {.25}}))
}
