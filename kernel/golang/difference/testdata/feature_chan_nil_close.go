package main

import (
	"fmt"
)

func main() {
	c := make(chan int, 1)
	close(c)
	v, ok := <-c
	fmt.Println(v, ok)
	try := func(f func()) {
		defer func() { fmt.Println(recover()) }()
		f()
	}
	try(func() { close(c) })
	try(func() { c <- 1 })
	var n chan int
	try(func() { close(n) })
	select {
	case <-n:
	default:
		fmt.Println("default")
	}
}
