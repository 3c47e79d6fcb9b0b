package main

import (
	"fmt"
)

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	c := make(chan int, 1)
	close(c)
	try(func() { c <- 1 })
	try(func() { close(c) })
	var n chan string
	try(func() { close(n) })
	try(func() {
		select {
		case c <- 1:
		default:
			fmt.Println("default")
		}
	})
	v, ok := <-c
	fmt.Println(v, ok)
	try(func() {
		select {
		case n <- "a":
		case v, ok := <-c:
			fmt.Println("closed", v, ok)
		}
	})
}
