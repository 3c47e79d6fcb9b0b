package main

import (
	"fmt"
)

type G[T any] struct{ V T }
type H[K comparable, V any] map[K]V
type N struct{}

func (G[T]) Name() string { var t T; return fmt.Sprintf("%T", t) }

func main() {
	fmt.Printf("%T|%T|%T|%T\n", G[int]{}, G[N]{}, G[G[string]]{}, H[string, []N]{})
	fmt.Printf("%T|%T|%T\n", &G[*N]{}, []G[any]{}, G[func(int) string]{})
	fmt.Printf("%T|%T\n", G[map[string]N]{}, G[struct{ A int }]{})
	fmt.Println(G[N]{}.Name(), G[[]int]{}.Name(), G[error]{}.Name())
	fmt.Printf("%#v %#v\n", G[N]{}, H[string, int]{"a": 1})
}
