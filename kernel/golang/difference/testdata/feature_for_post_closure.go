package main

import (
	"fmt"
)

func main() {
	var fs []func() int
	for i := 0; i < 6; i += 2 {
		fs = append(fs, func() int {
			i += 10
			return i
		})
	}
	for _, f := range fs {
		fmt.Print(f(), " ", f(), " ")
	}
	fmt.Println()
}
