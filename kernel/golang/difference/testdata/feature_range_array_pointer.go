package main

import (
	"fmt"
)

func main() {
	a := [3]int{1, 2, 3}
	for i, v := range &a {
		a[2] = 10
		fmt.Print(i, v, " ")
	}
	for i, v := range a {
		a[2] = 20
		fmt.Print(i, v, " ")
	}
	fmt.Println(a)
}
