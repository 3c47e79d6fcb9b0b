package main

import (
	"fmt"
)

type pair[A, B any] struct {
	a A
	b B
}
type same[T any] = pair[T, T]
type mapper[A, B any] func(A) B

func (m mapper[A, B]) all(xs ...A) (out []B) {
	for _, x := range xs {
		out = append(out, m(x))
	}
	return
}
func main() {
	p := same[int]{1, 2}
	var q pair[int, int] = p
	fmt.Printf("%v %T %v\n", q, p, mapper[int, string](func(n int) string { return fmt.Sprint(n * n) }).all(1, 2, 3))
}
