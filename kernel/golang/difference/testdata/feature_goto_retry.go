package main

import (
	"fmt"
)

func main() {
	n := 0
again:
	n++
	if n < 4 {
		fmt.Print("try", n, " ")
		goto again
	}
	fmt.Println("done", n)
}
