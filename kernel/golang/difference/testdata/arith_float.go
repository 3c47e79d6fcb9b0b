package main

import (
	"fmt"
	"math"
)

func main() {
	x, y := 1.5, 0.0
	fmt.Println(x/y, -x/y, y/y, x*3-2, float32(0.1)+float32(0.2), 0.1+0.2)
	z := math.NaN()
	fmt.Println(z == z, z != z, z < 1, z > 1, math.Inf(1) > 5)
	fmt.Println(int(x*2.7), int(-x), int64(1e15), uint8(x*100.7), float64(float32(1)/3))
	fmt.Printf("%.3f %e %g %8.2f|%-8.2f|\n", x, x, 1e21, x, x)
	var c complex128 = complex(1, 2)
	c = c * c
	fmt.Println(c, real(c), imag(c), c == complex(-3, 4), -c)
	var c64 complex64 = 1 + 2i
	fmt.Println(c64/2, complex128(c64))
}
