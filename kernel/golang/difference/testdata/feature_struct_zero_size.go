package main

import (
	"fmt"
)

type empty struct{}

func (empty) hi() string { return "hi" }
func main() {
	var a [1000]empty
	s := map[string]empty{"x": {}}
	c := make(chan empty, 3)
	c <- empty{}
	fmt.Println(len(a), a[5].hi(), s, len(c), a[1] == a[2], struct{}{} == empty{})
}
