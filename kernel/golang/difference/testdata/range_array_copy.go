package main

import (
	"fmt"
)

func main() {
	a := [3]int{1, 2, 3}
	for i, v := range a {
		a[2] = 10
		fmt.Print(i, v, " ")
	}
	b := [3]int{1, 2, 3}
	for i, v := range &b {
		b[2] = 10
		fmt.Print(i, v, " ")
	}
	s := []int{1, 2, 3}
	for i, v := range s {
		s = append(s, v*10)
		s[2] = 7
		fmt.Print(i, v, " ")
	}
	fmt.Println(s)
	var p *[4]int
	for i := range p {
		fmt.Print(i)
	}
	fmt.Println(len(p))
}
