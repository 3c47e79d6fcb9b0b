package main

import (
	"fmt"
)

func main() {
	for i := range 3 {
		defer fmt.Print("d", i, " ")
		defer func() { fmt.Print("c", i, " ") }()
	}
	fmt.Println("end")
}
