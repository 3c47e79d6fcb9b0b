package main

import (
	"context"
	"fmt"
	"time"
)

func main() {
	a, b := make(chan int, 1), make(chan string, 1)
	select {
	case x := <-a:
		fmt.Println("a", x)
	default:
		fmt.Println("none")
	}
	b <- "hi"
	select {
	case x := <-a:
		fmt.Println("a", x)
	case s, ok := <-b:
		fmt.Println("b", s, ok)
	}
	select {
	case a <- 7:
		fmt.Println("sent")
	default:
		fmt.Println("full")
	}
	select {
	case a <- 8:
		fmt.Println("sent")
	default:
		fmt.Println("full")
	}
	close(b)
	_, ok := <-b
	fmt.Println(ok, <-a)
	timeout := time.After(5 * time.Millisecond)
	n := 0
loop:
	for {
		select {
		case <-timeout:
			break loop
		case <-time.After(time.Millisecond):
			n++
			if n > 1 {
				continue loop
			}
		}
	}
	fmt.Println(n > 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	<-ctx.Done()
	fmt.Println(ctx.Err())
	var nilc chan int
	select {
	case <-nilc:
		fmt.Println("never")
	default:
		fmt.Println("nil blocks")
	}
}
