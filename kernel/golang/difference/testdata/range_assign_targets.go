package main

import (
	"fmt"
)

type T struct {
	k int
	v string
}

func main() {
	var t T
	m := map[int]int{}
	arr := make([]int, 4)
	i := 0
	for t.k, t.v = range []string{"a", "b", "c"} {
		m[t.k]++
	}
	fmt.Println(t, m)
	for arr[i] = range 3 {
		i++
	}
	fmt.Println(arr, i)
	var c rune
	for i, c = range "héy" {
	}
	fmt.Println(i, string(c))
	var e any
	for _, e = range []any{1, "z"} {
	}
	fmt.Println(e)
}
