package main

import (
	"fmt"
	"time"
)

func main() {
	a, b := make(chan int, 1), make(chan string, 1)
	var none chan bool
	select {
	case <-none:
		fmt.Println("never")
	case a <- 4:
		fmt.Println("sent")
	}
	select {
	case v, ok := <-a:
		fmt.Println(v, ok)
	case s := <-b:
		fmt.Println(s)
	}
	select {
	case v := <-a:
		fmt.Println(v)
	default:
		fmt.Println("empty")
	}
	close(a)
	v, ok := <-a
	fmt.Println(v, ok)
	list := []int{1, 2}
	c := make(chan int, 1)
	c <- 9
	select {
	case list[1] = <-c:
		fmt.Println(list)
	}
	t := time.After(time.Millisecond)
	n := 0
loop:
	for {
		select {
		case <-t:
			break loop
		case b <- "x":
			n++
			<-b
			if n > 1000000 {
				break loop
			}
		}
	}
	fmt.Println(n > 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case s, ok := <-b:
				if !ok {
					return
				}
				fmt.Println("got", s)
			}
		}
	}()
	b <- "one"
	b <- "two"
	close(b)
	<-done
}
