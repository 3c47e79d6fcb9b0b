package main

import "fmt"

func at(xs []int, i int) int { return xs[i] }

func main() {
	fmt.Println("before")
	fmt.Println(at([]int{1, 2}, 7))
}
