package main

import (
	"fmt"
)

type pipe chan int

func (p pipe) feed(ns ...int) pipe {
	go func() {
		for _, n := range ns {
			p <- n
		}
		close(p)
	}()
	return p
}
func (p pipe) total() (t int) {
	for n := range p {
		t += n
	}
	return
}
func main() {
	fmt.Println(make(pipe).feed(1, 2, 3).total())
	p := make(pipe, 2)
	p <- 1
	fmt.Println(len(p), cap(p))
	var r <-chan int = p
	fmt.Println(<-r)
}
