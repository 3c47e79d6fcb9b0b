package main

import (
	"fmt"
)

type A int
type B int
type P struct{ x, y any }

func main() {
	fmt.Println(any(A(1)) == any(A(1)), any(A(1)) == any(B(1)), any(A(1)) == any(1))
	fmt.Println(P{1, "a"} == P{1, "a"}, P{A(1), 2} == P{1, 2}, any(P{}) == any(P{}))
	a, b := new(int), new(int)
	fmt.Println(any(a) == any(b), any(a) == any(a))
	fmt.Println(any([2]A{1, 2}) == any([2]A{1, 2}), any([1]A{1}) == any([1]B{1}))
	var s fmt.Stringer
	fmt.Println(s == nil, any(s) == nil, any(struct{ a int }{1}) == any(struct{ a int }{1}))
	fmt.Println(any(struct {
		a int `x:"1"`
	}{1}) == any(struct{ a int }{1}))
	m := map[any]string{1: "int", A(1): "A", B(1): "B", "1": "s", 1.0: "f", P{1, 2}: "P", [1]int{1}: "arr"}
	fmt.Println(len(m), m[A(1)], m[B(1)], m[1], m[P{1, 2}], m[[1]int{1}], m[int8(1)] == "")
}
