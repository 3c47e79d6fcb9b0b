package main

import (
	"fmt"
	"runtime"
)

func main() {
	done := make(chan string, 4)
	go func() {
		defer close(done)
		defer func() { done <- fmt.Sprint("recover ", recover()) }()
		func() {
			defer func() { done <- "inner" }()
			runtime.Goexit()
		}()
		done <- "never"
	}()
	for s := range done {
		fmt.Println(s)
	}
}
