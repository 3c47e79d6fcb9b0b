package main

import (
	"errors"
	"fmt"
)

type Option[T any] struct {
	v  T
	ok bool
}

func Some[T any](v T) Option[T] { return Option[T]{v, true} }
func None[T any]() Option[T]    { return Option[T]{} }

func (o Option[T]) OrElse(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

func (o Option[T]) String() string {
	if o.ok {
		return fmt.Sprintf("Some(%v)", o.v)
	}
	return "None"
}

func Then[T, U any](o Option[T], f func(T) Option[U]) Option[U] {
	if !o.ok {
		return None[U]()
	}
	return f(o.v)
}

func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	half := func(i int) Option[float64] {
		if i%2 == 1 {
			return None[float64]()
		}
		return Some(float64(i) / 2)
	}
	fmt.Println(Then(Some(4), half), Then(Some(3), half), Then(None[int](), half))
	fmt.Println(None[string]().OrElse("d"), Some(Some(1)))
	defer func() { fmt.Println("recovered:", recover()) }()
	Must(1, errors.New("bad"))
}
