package main

import (
	"fmt"
	"math"
)

func main() {
	z := 0.0
	inf, nan := 1/z, z/z
	fmt.Println(inf, -inf, nan, nan == nan, nan < 1, inf > math.MaxFloat64, math.Signbit(-z*1), 1/math.Inf(-1))
	m := map[float64]int{nan: 1, nan: 2, 0: 3}
	m[math.Copysign(0, -1)]++
	fmt.Println(len(m), m[0], m[nan])
	var f float32 = 16777216
	fmt.Println(f+1 == f, float32(0.1), 0.1+0.2, math.MaxUint32, math.Trunc(-2.7))
}
