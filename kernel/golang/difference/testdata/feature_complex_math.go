package main

import (
	"fmt"
	"math/cmplx"
)

func main() {
	z := complex(3, -4)
	fmt.Println(z*z, z/complex(0, 1), real(z), imag(z), cmplx.Abs(z), z == complex(3, -4), -z)
	var w complex64 = 1i
	w *= w
	fmt.Println(w, complex128(w)+z)
	fmt.Printf("%.1f %v\n", z, [2]complex64{1, 2i})
}
