package main

import (
	"fmt"
	"math"
)

type Float interface{ ~float32 | ~float64 }

func Norm[T Float](xs ...T) T {
	var s T
	for _, x := range xs {
		s += x * x
	}
	return T(math.Sqrt(float64(s)))
}

func Mag[C ~complex64 | ~complex128](c C) float64 {
	d := complex128(c)
	return math.Hypot(real(d), imag(d))
}

type F32 float32

func Eps[T Float]() T {
	e := T(1)
	for 1+e/2 != 1 {
		e /= 2
	}
	return e
}

func main() {
	fmt.Println(Norm(3.0, 4.0), Norm(F32(1), 2), Norm[float32](.1, .2))
	fmt.Println(Mag(3+4i), Mag(complex64(1+1i)))
	fmt.Println(Eps[float32](), Eps[float64](), Eps[F32]())
}
