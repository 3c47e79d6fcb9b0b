package main

import (
	"fmt"
)

func change(a [2][2]int) [2][2]int { a[1][0] = 9; return a }
func main() {
	a := [...][2]int{{1, 2}, {3, 4}}
	b := change(a)
	p := &a[1]
	p[1] = 7
	fmt.Println(a, b, a == b, len(a), len(a[0]))
	c := [5]string{1: "b", 3: "d", "e"}
	fmt.Printf("%q\n", c)
}
