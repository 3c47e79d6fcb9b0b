package main

import (
	"fmt"
)

func seq(y func(string, int) bool) { _ = y("a", 1) && y("b", 2) }
func f() {
	for k, v := range seq {
		defer fmt.Println("deferred", k, v)
	}
	fmt.Println("body done")
}
func main() { f(); fmt.Println("end") }
