package main

import (
	"fmt"
)

func inner() {
	defer func() {
		r := recover()
		panic(fmt.Sprint("again ", r))
	}()
	panic("first")
}
func main() { defer func() { fmt.Println(recover()) }(); inner() }
