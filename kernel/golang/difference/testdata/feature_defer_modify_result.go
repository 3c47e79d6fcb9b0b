package main

import (
	"fmt"
)

func double() (n int) {
	defer func() { n *= 2 }()
	n = 3
	return n + 1
}
func swap() (a, b string) {
	defer func() { a, b = b, a }()
	return "x", "y"
}
func kept() int { n := 1; defer func() { n = 9 }(); return n }
func main()     { fmt.Println(double(), kept()); fmt.Println(swap()) }
