package main

import (
	"fmt"
	"math"
	"math/cmplx"
)

type phasor complex128

func (p phasor) abs() float64 { return cmplx.Abs(complex128(p)) }

func main() {
	z := 3 + 4i
	fmt.Println(z, real(z), imag(z), z*z, z/(1-2i), -z, cmplx.Conj(z))
	var w complex64 = complex(1, 2)
	w += 2i
	w *= complex64(z)
	fmt.Println(w, w == complex(-13, 16), w != 0)
	fmt.Printf("%.2f %v %T %T\n", z, phasor(z).abs(), real(w), w)
	const c = (2 + 3i) * (1 - 1i)
	fmt.Println(c, real(c), 1i*1i)
	inf := complex(math.Inf(1), math.NaN())
	fmt.Println(inf, inf == inf, complex(0, math.Copysign(0, -1)))
	m := map[complex128]string{1i: "i"}
	fmt.Println(m[complex(0, 1)], cmplx.Exp(1i*math.Pi))
	zero := complex(0, 0)
	fmt.Println(z/zero, zero/zero)
	fmt.Printf("%g %e %8.3f %+v\n", z, z, z, z)
}
