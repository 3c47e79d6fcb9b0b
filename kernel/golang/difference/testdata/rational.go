package main

import (
	"fmt"
)

type rat struct{ n, d int64 }

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}
func r(n, d int64) rat {
	if d == 0 {
		panic("rat: zero")
	}
	g := gcd(n, d)
	if d < 0 {
		g = -g
	}
	return rat{n / g, d / g}
}
func (x rat) add(y rat) rat  { return r(x.n*y.d+y.n*x.d, x.d*y.d) }
func (x rat) mul(y rat) rat  { return r(x.n*y.n, x.d*y.d) }
func (x rat) String() string { return fmt.Sprintf("%d/%d", x.n, x.d) }
func main() {
	s := r(0, 1)
	for i := int64(1); i <= 10; i++ {
		s = s.add(r(1, i*(i+1)))
	}
	fmt.Println(s, s.mul(r(-11, 5)), r(6, -4), r(1, 2) == r(3, 6))
	defer func() { fmt.Println(recover()) }()
	r(1, 0)
}
