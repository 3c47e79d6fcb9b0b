package main

import (
	"fmt"
)

func main() {
	a := make([]int, 3, 5)
	b := append(a, 1)
	c := append(a, 2)
	fmt.Println(b[3], c[3], len(a), cap(b))
	d := a[1:2:2]
	d = append(d, 8)
	fmt.Println(a, d)
	a = append(a[:1], a[2:]...)
	fmt.Println(a, len(a))
	var n []int
	n = append(n, n...)
	fmt.Println(n == nil)
}
