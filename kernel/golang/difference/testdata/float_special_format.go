package main

import (
	"fmt"
	"math"
)

func main() {
	z := 0.0
	inf := 1 / z
	nan := z / z
	fmt.Println(inf, -inf, nan, nan == nan, nan != nan, nan < 1, inf > math.MaxFloat64, -z, 1/-z, math.Copysign(0, -1))
	for _, f := range []float64{1e20, 1e21, 123456789.0, 1e-4, 1e-5, .1 + .2, 100000000, 5e-324, 1.0} {
		fmt.Print(f, " ", float32(f), " ")
	}
	fmt.Println()
	fmt.Printf("%f %e %g %G %8.3f|%-8.2f|%+.1e|%08.3f|% .2f|%x|%b\n", 3.14159, 1234.5, 1e-7, 1e20, 2.5, 2.5,
		12345.678, -3.14159, 2.0, 1.5, 1.5)
	fmt.Printf("%v %.3v %10v|%-10v|%+v %6.2f%%\n", 2.0/3, 2.0/3, 1.5, 1.5, 1.5, 99.5)
	fmt.Printf("%v %T %v %.2f\n", float32(.1), float32(.1), float64(float32(.1)), 1+2i)
	var f32 float32 = 16777216
	fmt.Println(f32+1, float64(f32)+1, int(f32), uint8(f32/1e6), math.Float32bits(f32))
	fmt.Println(float32(1)/3*3 == 1, math.Round(-2.5), math.Trunc(-2.7), int(-f32/1e7), math.Mod(-7, 3),
		math.RoundToEven(2.5))
}
