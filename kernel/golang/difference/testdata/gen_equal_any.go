package main

import (
	"fmt"
)

func Index[T comparable](xs []T, v T) int {
	for i, x := range xs {
		if x == v {
			return i
		}
	}
	return -1
}

type K struct {
	a int
	b string
}

func main() {
	fmt.Println(Index([]any{1, "a", nil, 2.5}, any(2.5)), Index([]any{1, nil}, nil))
	fmt.Println(Index([]K{{1, "a"}, {2, "b"}}, K{2, "b"}), Index([]*K{nil}, nil), Index([][2]int{{1, 2}}, [2]int{1, 2}))
	defer func() { fmt.Println(recover()) }()
	fmt.Println(Index([]any{[]int{1}}, any([]int{1})))
}
