package main

import (
	"fmt"
)

func main() {
	s := []int{1, 2}
	for _, v := range s {
		s = append(s, v*10)
		s[0] = 7
	}
	fmt.Println(s)
	for i := range s {
		s = s[:1]
		fmt.Print(i)
	}
	fmt.Println(len(s))
}
