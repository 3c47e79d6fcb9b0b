package main

import (
	"fmt"
)

type A3 [3]string

func main() {
	s := []string{"a", "b", "c", "d"}
	a := [3]string(s)
	p := (*[2]string)(s[1:])
	p[0] = "changed"
	t := A3(s[:3])
	fmt.Println(s, a, *p, t, len(p))
	fmt.Println((*[0]string)(nil) == nil, (*[0]string)([]string{}) != nil)
	var n []string
	fmt.Println((*[0]string)(n) == nil, [0]string(n))
	q := (*A3)(s)
	q[2] = "q"
	fmt.Println(s)
	func() {
		defer func() { fmt.Println(recover()) }()
		_ = (*[5]string)(s)
	}()
	b := [4]byte([]byte("abcd"))
	fmt.Println(b, string(b[:]))
}
