package main

import (
	"fmt"
)

func Zero[T any]() T { var z T; return z }

func IsZero[T comparable](v T) bool { return v == *new(T) }

type E struct {
	A int
	B []string
}

func Or[T comparable](vs ...T) T {
	for _, v := range vs {
		if !IsZero(v) {
			return v
		}
	}
	return Zero[T]()
}

func main() {
	fmt.Printf("%v %q %v %+v %v %v\n", Zero[int](), Zero[string](), Zero[*int](), Zero[E](), Zero[error](),
		Zero[[2]bool]())
	fmt.Println(IsZero(0.0), IsZero("x"), IsZero[any](nil), IsZero(struct{}{}))
	fmt.Println(Or(0, 3, 4), Or("", "a"), Or[error](), Or(0.0, -0.0))
	fmt.Println(Zero[map[string]int]() == nil, Zero[func()]() == nil, Zero[chan int]() == nil)
}
