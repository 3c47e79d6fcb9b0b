package main

import (
	"fmt"
)

func main() {
	a, b := make(chan int), make(chan int)
	var r <-chan int = a
	fmt.Println(a == b, r == a, a != nil)
	m := map[chan int]string{a: "a", b: "b"}
	fmt.Println(m[a], m[b], len(m))
	const n = 100
	first := make(chan int)
	left := first
	for range n {
		right := make(chan int)
		go func(l, r chan int) { l <- 1 + <-r }(left, right)
		left = right
	}
	left <- 0
	fmt.Println(<-first)
}
