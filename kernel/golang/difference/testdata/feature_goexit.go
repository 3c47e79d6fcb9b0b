package main

import (
	"fmt"
	"runtime"
)

func main() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer fmt.Println("deferred")
		runtime.Goexit()
		fmt.Println("never")
	}()
	<-done
	fmt.Println("after")
}
