package main

import (
	"fmt"
)

type T struct{ a, b int8 }

func main() {
	var s []int
	for i := range 2000 {
		s = append(s, i)
	}
	var t []T
	for range 100 {
		t = append(t, T{})
	}
	fmt.Println(len(s), cap(s) >= 2000, s[1999], len(t), t[99])
	fmt.Println(cap(append([]byte("ab"), "cde"...)), cap(append([]string(nil), "a", "b", "c")),
		cap(append([]int{1, 2}, 3, 4, 5)))
	x := make([]int, 2, 10)
	y := append(x, 1)
	z := append(x, 2)
	fmt.Println(y, z, &y[0] == &z[0])
	fmt.Println(append([]int(nil)) == nil, append([]int{}, []int{}...) == nil)
}
