package main

import (
	"fmt"
)

func main() {
	c, stop := make(chan int), make(chan bool)
	go func() {
		for i := range 4 {
			c <- i
		}
		close(stop)
	}()
	t := 0
loop:
	for {
		select {
		case n := <-c:
			if n == 1 {
				continue loop
			}
			t += n
		case <-stop:
			break loop
		}
	}
	fmt.Println(t)
}
