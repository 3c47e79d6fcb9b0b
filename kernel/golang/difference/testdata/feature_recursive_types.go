package main

import (
	"fmt"
)

type fn func(int) fn
type list []list
type m map[string]m
type ch chan ch

func main() {
	n := 0
	var f fn
	f = func(i int) fn {
		n += i
		return f
	}
	f(1)(2)(3)
	l := list{{}, {{}, {}}}
	x := m{"a": {"b": {}}}
	c := make(ch, 1)
	c <- c
	fmt.Println(n, len(l[1]), len(x["a"]["b"]), <-c == c)
}
