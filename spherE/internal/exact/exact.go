// Package exact implements the transcendental functions of training and evaluation. Those of package math differ
// between machines (assembly on some, fused multiply-add on others). These consist of IEEE 754 additions, products,
// quotients and roundings, and return the same bits everywhere, in plain Go and in vector kernels.
//
// Every product is converted explicitly, so that the compiler must not fuse it with an addition (Go specification,
// "Floating-point operators").
package exact

import "math"

const (
	// roundMagic added to and taken from |x| < 2^51 rounds x to the nearest integer, ties to even.
	roundMagic = 3 << 51

	log2E = 1.44269504088896338700
	// ln2High has 21 trailing zero bits, so its product with an exponent is exact. ln2Low is the rest.
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10

	expOverflow  = 709.782712893384  // above: +Inf
	expUnderflow = -745.133219101942 // below: 0
)

// expTerm are the coefficients 1/k! of the exponential series, from k = 13 down to 0. For |r| <= ln(2)/2 the first
// omitted term is below 5e-18.
var expTerm = [14]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
	1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

// Exp returns e**x, within 1 unit in the last place of normal results.
func Exp(x float64) float64 {
	switch {
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	case x != x:
		return x
	}
	k := (float64(x*log2E) + roundMagic) - roundMagic
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	y := expTerm[0]
	for _, c := range expTerm[1:] {
		y = float64(y*r) + c
	}
	// Two factors, so that neither overflows and a subnormal result is rounded only once.
	n := int64(k)
	half := n >> 1
	return float64(float64(y*powerOfTwo(half)) * powerOfTwo(n-half))
}

func powerOfTwo(n int64) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// log1p returns ln(1+y) for 0 <= y <= 1 as 2*artanh(y/(2+y)), within 2 units in the last place. Other arguments are a
// programming error, with a wrong result.
func log1p(y float64) float64 {
	return twiceArtanh(y / (2 + y))
}

// twiceArtanh returns 2*artanh(s) for |s| <= 1/3.
func twiceArtanh(s float64) float64 {
	z := float64(s * s)
	sum := 1.0 / 33
	for _, c := range atanhTerm {
		sum = float64(sum*z) + c
	}
	return float64(float64(2*s) * sum) // callers add to it
}

// Log returns ln(x) for a normal x > 0, with an error of at most 2 units in the last place or 4e-16. Log returns
// infinity and NaN as they are. Other arguments are a programming error, with a wrong result.
func Log(x float64) float64 {
	if x-x != 0 {
		return x
	}
	bits := math.Float64bits(x)
	k := int64(bits>>52) - 1023
	f := math.Float64frombits(bits&(1<<52-1) | 1023<<52) // x = f * 2^k
	if f > math.Sqrt2 {
		f, k = float64(f*0.5), k+1
	}
	s := twiceArtanh((f - 1) / (f + 1))
	return float64(float64(k)*ln2High) + (s + float64(float64(k)*ln2Low))
}

// atanhTerm are the coefficients 1/(2k+1) of artanh(s)/s, from k = 15 down to 0; s <= 1/3.
var atanhTerm = [16]float64{
	1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
	1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1,
}

// Logistic returns softplus(x) = ln(1+e^x) = -ln(sigmoid(-x)), and sigmoid(x) = softplus'(x), from one exponential.
func Logistic(x float64) (softplus, sigmoid float64) {
	e := Exp(-math.Abs(x))
	softplus = log1p(e)
	if x > 0 {
		return softplus + x, 1 / (1 + e)
	}
	return softplus, e / (1 + e)
}

const (
	twoOverPi = 0.63661977236758134308
	// pi/2 in three parts. The first two have 33 bits, so that their products with |n| < 2^20 are exact.
	piHalfHigh = 1.57079632673412561417e+00
	piHalfMid  = 6.07710050630396597660e-11
	piHalfLow  = 2.02226624879595063154e-21
)

// sinTerm and cosTerm are the coefficients of sin(r)/r and cos(r) in r*r, highest power first.
var (
	sinTerm = [8]float64{
		-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1,
	}
	cosTerm = [9]float64{
		1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24,
		-1.0 / 2, 1,
	}
)

// SinCos returns the sine and cosine of x in radians, within 2e-16 for |x| < 2^20; NaN for a larger or non-finite x.
func SinCos(x float64) (sin, cos float64) {
	if !(math.Abs(x) < 1<<20) {
		return math.NaN(), math.NaN()
	}
	n := (float64(x*twoOverPi) + roundMagic) - roundMagic
	r := ((x - float64(n*piHalfHigh)) - float64(n*piHalfMid)) - float64(n*piHalfLow)
	z := float64(r * r)
	s, c := sinTerm[0], cosTerm[0]
	for _, k := range sinTerm[1:] {
		s = float64(s*z) + k
	}
	for _, k := range cosTerm[1:] {
		c = float64(c*z) + k
	}
	s = float64(s * r)
	switch int64(n) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// Power returns x**n for n >= 0 by repeated squaring.
func Power(x float64, n uint64) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y = float64(y * x)
		}
		x = float64(x * x)
	}
	return y
}
