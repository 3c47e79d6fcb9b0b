package main

import (
	"fmt"
)

func main() {
	defer fmt.Println("one")
	defer func() {
		defer fmt.Println("two")
		var a []int
		i := 3
		fmt.Println(a[i])
	}()
	fmt.Println("body")
}
