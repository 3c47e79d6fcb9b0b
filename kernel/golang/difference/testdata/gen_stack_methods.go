package main

import (
	"errors"
	"fmt"
)

type Stack[T any] struct{ items []T }

var ErrEmpty = errors.New("empty")

func (s *Stack[T]) Push(v ...T) *Stack[T] { s.items = append(s.items, v...); return s }

func (s *Stack[T]) Pop() (T, error) {
	var zero T
	if len(s.items) == 0 {
		return zero, ErrEmpty
	}
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, nil
}

func (s Stack[T]) Len() int { return len(s.items) }

type P struct{ X, Y int }

func main() {
	s := new(Stack[P]).Push(P{1, 2}, P{3, 4})
	v, err := s.Pop()
	fmt.Println(v, err, s.Len())
	_, _ = s.Pop()
	v, err = s.Pop()
	fmt.Println(v, err, err == ErrEmpty)
	var e Stack[error]
	x, err := e.Pop()
	fmt.Println(x, err)
	fmt.Printf("%T %T %+v\n", s, e, Stack[string]{[]string{"a"}})
}
