package main

import (
	"fmt"
)

func Counter[T ~int | ~float64](step T) (next func() T, reset func()) {
	var v T
	next = func() T { v += step; return v }
	reset = func() { v = 0 }
	return
}

func Memo[K comparable, V any](f func(K) V) func(K) V {
	seen := map[K]V{}
	return func(k K) V {
		if v, ok := seen[k]; ok {
			return v
		}
		v := f(k)
		seen[k] = v
		return v
	}
}

func main() {
	n, r := Counter(2)
	m, _ := Counter(.25)
	fmt.Println(n(), n(), m(), m())
	r()
	fmt.Println(n(), m())
	calls := 0
	var fib func(int) int
	fib = Memo(func(i int) int {
		calls++
		if i < 2 {
			return i
		}
		return fib(i-1) + fib(i-2)
	})
	fmt.Println(fib(50), calls)
}
