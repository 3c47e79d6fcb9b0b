package main

import (
	"fmt"
)

type Request struct {
	n     int
	reply chan<- int
}

func server(in <-chan Request, quit <-chan struct{}) {
	for {
		select {
		case r := <-in:
			r.reply <- r.n * r.n
		case <-quit:
			return
		}
	}
}

func main() {
	in, quit := make(chan Request), make(chan struct{})
	go server(in, quit)
	for i := range 3 {
		reply := make(chan int)
		in <- Request{i, reply}
		fmt.Print(<-reply, " ")
	}
	close(quit)
	var ro <-chan Request = in
	fmt.Printf("%T %T %v %d\n", ro, quit, in == (chan Request)(nil), cap(in))
	cc := make(chan chan string, 1)
	c := make(chan string, 1)
	cc <- c
	c <- "deep"
	fmt.Println(<-<-cc)
}
