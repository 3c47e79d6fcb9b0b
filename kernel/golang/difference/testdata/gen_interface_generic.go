package main

import (
	"fmt"
)

type Container[T any] interface {
	Put(T)
	Take() (T, bool)
}

type Queue[T any] []T

func (q *Queue[T]) Put(v T) { *q = append(*q, v) }
func (q *Queue[T]) Take() (v T, ok bool) {
	if len(*q) == 0 {
		return
	}
	v, *q = (*q)[0], (*q)[1:]
	return v, true
}

type Cell[T any] struct{ v *T }

func (c *Cell[T]) Put(v T) { c.v = &v }
func (c *Cell[T]) Take() (v T, ok bool) {
	if c.v == nil {
		return
	}
	v, c.v = *c.v, nil
	return v, true
}

func Drain[T any](c Container[T]) (out []T) {
	for v, ok := c.Take(); ok; v, ok = c.Take() {
		out = append(out, v)
	}
	return
}

func main() {
	for _, c := range []Container[string]{new(Queue[string]), &Cell[string]{}} {
		c.Put("a")
		c.Put("b")
		fmt.Printf("%T %v\n", c, Drain(c))
	}
	var x any = new(Queue[int])
	_, isInt := x.(Container[int])
	_, isString := x.(Container[string])
	fmt.Println(isInt, isString)
}
