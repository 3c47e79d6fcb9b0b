package main

import (
	"fmt"
)

func trace(s string) string { fmt.Println("enter", s); return s }
func un(s string)           { fmt.Println("leave", s) }

type T struct{ n int }

func (t T) Show()   { fmt.Println("value", t.n) }
func (t *T) PShow() { fmt.Println("pointer", t.n) }

func main() {
	defer un(trace("main"))
	t := T{1}
	defer t.Show()
	defer t.PShow()
	f := t.Show
	t.n = 2
	defer f()
	for i := range 3 {
		defer fmt.Println("loop", i)
	}
	defer func(n int) { fmt.Println("arg", n, t.n) }(t.n)
	t.n = 3
}
