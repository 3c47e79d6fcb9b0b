package main

import (
	"fmt"
	"math"
)

func main() {
	m := map[float64]string{}
	nan := math.NaN()
	m[nan] = "a"
	m[nan] = "b"
	m[0] = "zero"
	m[math.Copysign(0, -1)] = "minus zero"
	_, ok := m[nan]
	fmt.Println(len(m), ok, m[0])
	delete(m, nan)
	fmt.Println(len(m))
	n := 0
	for k := range m {
		if k != k {
			n++
		}
	}
	fmt.Println(n)
	clear(m)
	fmt.Println(len(m))
	i := map[any]int{nan: 1, nan: 2, float32(1): 3}
	fmt.Println(len(i))
}
