package main

import (
	"fmt"
)

type Arr interface {
	~[3]int
}

func Len[T Arr](a T) int { return len(a) }

func SumA[T Arr](a T) (s int) {
	for i := range a {
		s += a[i]
	}
	return
}

type Grid [3]int

func Fill[T ~[3]int](a *T, v int) {
	for i := range *a {
		(*a)[i] = v
	}
}

func main() {
	fmt.Println(Len([3]int{}), Len(Grid{1, 2, 3}), SumA([3]int{4, 5}), SumA(Grid{1, 2, 3}))
	var g Grid
	Fill(&g, 7)
	fmt.Println(g)
}
