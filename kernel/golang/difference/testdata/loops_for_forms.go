package main

import (
	"fmt"
)

func main() {
	i := 0
	for i < 3 {
		i++
	}
	for {
		i--
		if i < -2 {
			break
		}
		if i%2 == 0 {
			continue
		}
		fmt.Print(i, " ")
	}
	for i, j := 0, 5; i < j; i, j = i+1, j-1 {
		fmt.Print(i*j, " ")
	}
	for s := "abc"; s != ""; s = s[1:] {
		fmt.Print(s, " ")
	}
	for p := &i; *p < 2; *p++ {
	}
	n := 0
	for range [5]struct{}{} {
		n++
	}
	for range "héy" {
		n++
	}
	for range make([]int, 3) {
		n++
	}
	fmt.Println(i, n)
	var k int
	for k = range [3]int{} {
		defer func() { fmt.Print("d", k, " ") }()
	}
	for i := 0; i < 3; i++ {
		defer func() { fmt.Print("i", i, " ") }()
		i := i * 2
		_ = i
	}
	f := func() bool { n--; return n > 5 }
	for f() {
	}
	fmt.Println(n, k)
}
