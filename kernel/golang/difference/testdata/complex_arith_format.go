package main

import (
	"fmt"
	"math/cmplx"
)

type C complex64

func main() {
	a, b := 1+2i, complex(3, -1)
	fmt.Println(a+b, a-b, a*b, a/b, -a, a == b, a != b, real(a), imag(b))
	var z complex128
	fmt.Println(a/z, z/z, cmplx.Abs(3+4i), cmplx.Sqrt(-1), cmplx.Exp(0))
	c := C(2 + 1i)
	c *= c
	c++
	fmt.Printf("%v %T %.1f %8.2f %+v %g\n", c, c, a, a, a, complex64(a)/3)
	fmt.Println(real(c), imag(c), complex128(c), c == C(complex(4, 4)))
	m := map[complex128]string{1i: "i", 0: "zero"}
	fmt.Println(m[complex(0, 1)], m[0i], len(m))
	r, t := cmplx.Polar(1i)
	fmt.Printf("%.3f %.3f %v\n", r, t, cmplx.Conj(a))
}
