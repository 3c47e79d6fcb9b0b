package main

import (
	"fmt"
	"iter"
)

func bad(yield func(int) bool) {
	yield(1)
	panic("in iterator")
}

func cleans(yield func(int) bool) {
	defer fmt.Println("cleaned")
	for i := 0; yield(i); i++ {
	}
}

func main() {
	next, stop := iter.Pull(bad)
	fmt.Println(next())
	func() {
		defer func() { fmt.Println("got", recover()) }()
		next()
	}()
	fmt.Println(next())
	stop()
	next, stop = iter.Pull(cleans)
	fmt.Println(next())
	stop()
	stop()
	fmt.Println(next())
}
