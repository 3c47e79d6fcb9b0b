package main

import (
	"fmt"
)

func seq(n int) func(func(int) bool) {
	return func(y func(int) bool) {
		defer fmt.Print("end ")
		for i := range n {
			if !y(i) {
				return
			}
		}
	}
}
func find(n int) (r int) {
	for i := range seq(10) {
		for j := range seq(3) {
			if i*j == n {
				return i*10 + j
			}
		}
	}
	return -1
}
func main() { fmt.Println(find(4)); fmt.Println(find(100)) }
