package main

import (
	"fmt"
)

func main() {
	var none chan int
	c := make(chan int, 2)
	select {
	case v := <-none:
		fmt.Println("never", v)
	case c <- 1:
		fmt.Println("sent")
	}
	for range 3 {
		select {
		case c <- 2:
			fmt.Println("sent 2", len(c), cap(c))
		default:
			fmt.Println("full")
		}
	}
	var x struct{ a [2]int }
	var ok bool
	select {
	case x.a[1], ok = <-c:
		fmt.Println(x, ok)
	}
	m := map[string]int{}
	select {
	case m["k"] = <-c:
		fmt.Println(m)
	}
	select {
	default:
		fmt.Println("only default")
	}
}
