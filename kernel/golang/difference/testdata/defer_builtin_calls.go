package main

import (
	"fmt"
)

func main() {
	m := map[string]int{"a": 1, "b": 2}
	c := make(chan int, 1)
	s := []int{1, 2, 3}
	func() {
		defer delete(m, "a")
		defer close(c)
		defer copy(s, []int{9})
		defer clear(s[2:])
		fmt.Println(len(m), s)
	}()
	_, ok := <-c
	fmt.Println(m, ok, s)
	func() {
		defer func() { fmt.Println(recover()) }()
		defer panic("deferred panic")
	}()
	func() {
		defer func() { fmt.Println("got", recover()) }()
		var f func()
		defer f()
		fmt.Println("before")
	}()
}
