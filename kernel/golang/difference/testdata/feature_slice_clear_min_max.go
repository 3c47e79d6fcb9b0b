package main

import (
	"fmt"
)

func main() {
	s := []string{"b", "a"}
	fmt.Println(min(s[0], s[1]), max(3, 2.5, 7), min(int8(3), -2))
	clear(s)
	fmt.Printf("%q\n", s)
	m := map[int]int{1: 1}
	clear(m)
	fmt.Println(len(m))
	x, y := 0.0, -1.5
	fmt.Println(max(x, y), min(x, y, -9))
}
