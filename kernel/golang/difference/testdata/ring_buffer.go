package main

import (
	"fmt"
)

type ring[T any] struct {
	data    []T
	head, n int
}

func (r *ring[T]) put(x T) {
	if r.n < len(r.data) {
		r.data[(r.head+r.n)%len(r.data)] = x
		r.n++
		return
	}
	r.data[r.head] = x
	r.head = (r.head + 1) % len(r.data)
}
func (r *ring[T]) all() []T {
	out := make([]T, 0, r.n)
	for i := range r.n {
		out = append(out, r.data[(r.head+i)%len(r.data)])
	}
	return out
}
func main() {
	r := ring[rune]{data: make([]rune, 3)}
	for _, c := range "abcde" {
		r.put(c)
		fmt.Print(string(r.all()), " ")
	}
	fmt.Println(r.n, r.head)
}
