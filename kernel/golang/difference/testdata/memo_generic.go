package main

import (
	"fmt"
)

func memo[K comparable, V any](f func(self func(K) V, k K) V) func(K) V {
	known := map[K]V{}
	var self func(K) V
	self = func(k K) V {
		if v, ok := known[k]; ok {
			return v
		}
		v := f(self, k)
		known[k] = v
		return v
	}
	return self
}
func main() {
	fib := memo(func(self func(int) int, n int) int {
		if n < 2 {
			return n
		}
		return self(n-1) + self(n-2)
	})
	type cell struct{ x, y int }
	paths := memo(func(self func(cell) int, c cell) int {
		if c.x == 0 || c.y == 0 {
			return 1
		}
		return self(cell{c.x - 1, c.y}) + self(cell{c.x, c.y - 1})
	})
	fmt.Println(fib(80), paths(cell{10, 12}))
}
