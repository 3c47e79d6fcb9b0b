package main

import (
	"fmt"
)

func main() {
	s := []int{1, 2, 3, 4}
	a := [2]int(s)
	p := (*[3]int)(s[1:])
	p[0] = 20
	fmt.Println(a, *p, s)
	defer func() { fmt.Println(recover()) }()
	_ = [5]int(s)
}
