package main

import (
	"fmt"
	"math"
)

type temp float64

func main() {
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"), max('a', 'b'))
	var a, b temp = 1, -2
	fmt.Printf("%v %T %v\n", min(a, b), max(a, b), max(a, 7))
	nan := math.NaN()
	fmt.Println(min(1, nan), max(nan, 1), min(0.0, math.Copysign(0, -1)), max(math.Inf(-1), -1))
	m := map[float64]int{nan: 1, 2: 3}
	clear(m)
	fmt.Println(len(m))
	s := []string{"a", "b", "c"}
	clear(s[1:])
	fmt.Printf("%q\n", s)
	var nilmap map[string]int
	clear(nilmap)
	const c = min(1, 2.5, 'a')
	fmt.Printf("%T %v\n", c, c)
	x := 5
	x = max(x, 3, 8)
	fmt.Println(x)
}
