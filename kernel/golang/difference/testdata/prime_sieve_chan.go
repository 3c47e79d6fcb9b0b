package main

import (
	"fmt"
)

func numbers() chan int {
	c := make(chan int)
	go func() {
		for i := 2; ; i++ {
			c <- i
		}
	}()
	return c
}
func filter(in chan int, p int) chan int {
	out := make(chan int)
	go func() {
		for {
			if n := <-in; n%p != 0 {
				out <- n
			}
		}
	}()
	return out
}
func main() {
	c := numbers()
	for range 12 {
		p := <-c
		fmt.Print(p, " ")
		c = filter(c, p)
	}
	fmt.Println()
}
