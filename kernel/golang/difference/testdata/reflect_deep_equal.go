package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
)

type node struct {
	next *node
	n    int
}

type tree map[string]tree

type nested []nested

type celsius float64

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type failure struct{ code int }

func (f *failure) Error() string { return fmt.Sprint("failure ", f.code) }

type record struct {
	name   string
	shapes []shape
	err    error
	extra  map[celsius]any
	call   func()
	inner  struct{ buffer bytes.Buffer }
}

func ring(values ...int) *node {
	first := &node{n: values[0]}
	last := first
	for _, v := range values[1:] {
		last.next = &node{n: v}
		last = last.next
	}
	last.next = first
	return first
}

func main() {
	same := reflect.DeepEqual
	fmt.Println(same(&node{&node{nil, 1}, 0}, &node{&node{nil, 2}, 0}),
		same(&node{&node{nil, 1}, 0}, &node{&node{nil, 1}, 0}))
	fmt.Println(same(ring(1, 2), ring(1, 2)), same(ring(1, 2), ring(1, 3)), same(ring(1, 1), ring(1)))
	fmt.Println(same(tree{"a": tree{}}, tree{"a": tree{"b": nil}}), same(tree{"a": {"b": nil}}, tree{"a": {"b": nil}}))
	fmt.Println(same(tree{"a": nil}, tree{"a": {}}), same(tree{"a": nil}, tree{"b": nil}))
	fmt.Println(same(nested{nested{}}, nested{nested{nested{}}}), same(nested{{}, {}}, nested{{}, {}}))
	fmt.Println(same([]celsius{1}, []celsius{1}), same([]celsius{1}, []float64{1}), same(celsius(1), 1.0))
	fmt.Println(same([]int(nil), []int{}), same(map[int]int(nil), map[int]int{}), same(nil, nil), same(nil, 1))
	nan := math.NaN()
	fmt.Println(same(nan, nan), same([]float64{nan}, []float64{nan}), same(celsius(nan), celsius(nan)))
	list := []float64{nan}
	fmt.Println(same(list, list), same(list[:0], list[1:]))
	a := record{name: "a", shapes: []shape{square{2}, nil}, err: &failure{1}, extra: map[celsius]any{1: &node{n: 1}}}
	b := record{name: "a", shapes: []shape{square{2}, nil}, err: &failure{1}, extra: map[celsius]any{1: &node{n: 1}}}
	fmt.Println(same(a, b), same(&a, &b))
	b.err = &failure{2}
	fmt.Println(same(a, b))
	b.err = errors.New("failure 1")
	fmt.Println(same(a, b))
	b = a
	b.extra = map[celsius]any{1: &node{n: 2}}
	fmt.Println(same(a, b))
	b = a
	b.inner.buffer.WriteString("x")
	fmt.Println(same(a, b))
	b = a
	b.call = main
	fmt.Println(same(a, b), same(b, b))
	fmt.Println(same(error(&failure{1}), error(&failure{1})), same([]error{&failure{1}}, []error{&failure{2}}))
	fmt.Println(same([2]any{1, "a"}, [2]any{1, "a"}), same([]any{[]any{1}}, []any{[]any{2}}))
	fmt.Println(same(bytes.NewBufferString("a"), bytes.NewBufferString("a")))
	fmt.Println(same(bytes.NewBufferString("a"), bytes.NewBufferString("b")))
	x, y := 1, 1
	fmt.Println(same(&x, &y), same([]*int{&x}, []*int{&y}), same(make(chan int), make(chan int)))
}
