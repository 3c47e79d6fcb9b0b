package main

import (
	"fmt"
)

type p struct{ x any }

func main() {
	a, b := p{1}, p{1}
	var i, j any = a, b
	fmt.Println(a == b, i == j, i == any(p{int64(1)}), any(nil) == any((*int)(nil)), any(1.0) == any(1))
	m := map[any]string{1: "int", 1.0: "float", "1": "text", p{1}: "p", [1]int{1}: "array"}
	fmt.Println(m[1], m[1.0], m["1"], m[p{1}], m[[1]int{1}], len(m))
	defer func() { fmt.Println(recover()) }()
	fmt.Println(any([]int{1}) == any([]int{1}))
}
