package main

import (
	"fmt"
	"iter"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Print("[done ", n, "]")
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func find(want int) (int, int) {
	for i := range count(5) {
		for j := range count(5) {
			if i*j == want {
				return i, j
			}
		}
	}
	return -1, -1
}

func main() {
	fmt.Println(find(6))
outer:
	for i := range count(4) {
		for j := range count(4) {
			if j == 2 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			fmt.Print(i, j, " ")
		}
	}
	fmt.Println()
}
