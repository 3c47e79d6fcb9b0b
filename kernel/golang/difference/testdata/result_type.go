package main

import (
	"errors"
	"fmt"
	"strconv"
)

type result[T any] struct {
	value T
	err   error
}

func try[T any](v T, err error) result[T] { return result[T]{v, err} }
func then[T, U any](r result[T], f func(T) (U, error)) result[U] {
	if r.err != nil {
		return result[U]{err: r.err}
	}
	return try(f(r.value))
}
func (r result[T]) or(d T) T {
	if r.err != nil {
		return d
	}
	return r.value
}

var errOdd = errors.New("odd")

func half(n int) (int, error) {
	if n%2 != 0 {
		return 0, errOdd
	}
	return n / 2, nil
}
func main() {
	for _, s := range []string{"8", "7", "x"} {
		r := then(then(try(strconv.Atoi(s)), half), half)
		fmt.Println(r.or(-1), r.err, errors.Is(r.err, errOdd))
	}
}
