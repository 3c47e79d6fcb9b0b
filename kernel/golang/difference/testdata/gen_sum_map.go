package main

import (
	"fmt"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Celsius float64

func Sum[K comparable, V Number](m map[K]V) V {
	var s V
	for _, v := range m {
		s += v
	}
	return s
}

func main() {
	fmt.Println(Sum(map[string]int{"a": 1, "b": 2}), Sum(map[int]Celsius{1: 1.5, 2: 2.25}))
	fmt.Printf("%T %T\n", Sum(map[string]int64{}), Sum(map[string]Celsius{}))
	f := Sum[rune, float64]
	fmt.Println(f(map[rune]float64{'x': .5}))
}
