package main

import (
	"fmt"
	"time"
)

func main() {
	t := time.NewTimer(time.Hour)
	fmt.Println(t.Stop(), t.Stop())
	select {
	case <-time.After(time.Millisecond):
		fmt.Println("after")
	case <-t.C:
		fmt.Println("never")
	}
	tick := time.NewTicker(time.Millisecond)
	for range 2 {
		<-tick.C
	}
	tick.Stop()
	c := make(chan int)
	time.AfterFunc(time.Millisecond, func() { c <- 7 })
	fmt.Println(<-c)
	start := time.Now()
	time.Sleep(2 * time.Millisecond)
	fmt.Println(time.Since(start) >= 2*time.Millisecond)
}
