package main

import (
	"fmt"
)

func counter() (inc func() int, reset func()) {
	n := 0
	return func() int {
		n++
		return n
	}, func() { n = 0 }
}
func main() {
	a, ra := counter()
	b, _ := counter()
	a()
	a()
	fmt.Println(a(), b())
	ra()
	fmt.Println(a(), b())
	var f func(int) int
	f = func(n int) int {
		if n == 0 {
			return 1
		}
		return n * f(n-1)
	}
	fmt.Println(f(10))
}
