package main

import (
	"fmt"
)

func main() {
	a, b := make(chan int, 1), make(chan string, 1)
	for i := range 4 {
		select {
		case a <- i:
			fmt.Print("sent ", i, " ")
		case v := <-a:
			fmt.Print("got ", v, " ")
		}
	}
	b <- "x"
	select {
	case s, ok := <-b:
		fmt.Println(s, ok)
	}
}
