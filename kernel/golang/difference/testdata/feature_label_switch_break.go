package main

import (
	"fmt"
)

func main() {
outer:
	for i := 0; ; i++ {
		switch {
		case i == 2:
			continue
		case i > 4:
			break outer
		default:
			fmt.Print(i, " ")
		}
	}
	fmt.Println()
}
