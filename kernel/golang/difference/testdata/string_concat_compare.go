package main

import (
	"fmt"
)

type S string

func (s S) Twice() S { return s + s }

func main() {
	a, b := "abc", "abd"
	fmt.Println(a < b, a <= a, a > b, a+b, a == "ab"+"c", a != b)
	s := S("x")
	s += "y"
	fmt.Println(s.Twice()+"!", len(s), s[0], s[1:], string(s)+a)
	t := ""
	for i := range 5 {
		t = fmt.Sprint(i) + t
	}
	fmt.Println(t, "z" > "é", "" < "a", "a\x00" > "a")
	switch {
	case s > "xx":
		fmt.Println("greater")
	}
	m := `raw \n "q"
line2`
	fmt.Println(m, len(m))
	fmt.Printf("%s|%10s|%-5s|%.2s|%5.1s|%x|%q\n", s, s, s, "héllo", "é", s, s)
}
