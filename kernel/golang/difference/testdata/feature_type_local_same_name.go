package main

import (
	"fmt"
)

func f() any { type t struct{ a int }; return t{1} }
func g() any { type t struct{ a int }; return t{1} }
func main() {
	fmt.Println(f() == g(), f() == f())
	fmt.Printf("%T %T\n", f(), g())
	type t int
	var x any = t(1)
	_, ok := x.(int)
	fmt.Println(ok)
}
