package main

import (
	"fmt"
	"iter"
)

func fib() iter.Seq[int] {
	return func(yield func(int) bool) {
		a, b := 0, 1
		for yield(a) {
			a, b = b, a+b
		}
	}
}

func zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		nextA, stopA := iter.Pull(a)
		defer stopA()
		nextB, stopB := iter.Pull(b)
		defer stopB()
		for {
			x, ok := nextA()
			y, also := nextB()
			if !ok || !also || !yield(x, y) {
				return
			}
		}
	}
}

func words(list ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		defer fmt.Println("words end")
		for _, w := range list {
			if !yield(w) {
				return
			}
		}
	}
}

func main() {
	for n, w := range zip(fib(), words("a", "b", "c")) {
		fmt.Println(n, w)
	}
	next, stop := iter.Pull2(zip(fib(), words("x", "y")))
	fmt.Println(next())
	stop()
	fmt.Println(next())
}
