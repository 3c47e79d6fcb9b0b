package main

import (
	"fmt"
)

type op func(float64, float64) float64

func (o op) Twice(x float64) float64 { return o(o(x, x), x) }

func main() {
	ops := map[string]op{"+": func(a, b float64) float64 { return a + b }, "*": func(a,
		b float64) float64 {
		return a * b
	}}
	fmt.Println(ops["+"].Twice(3), ops["*"].Twice(3), ops["-"] == nil)
	var ack func(m, n int) int
	ack = func(m, n int) int {
		switch {
		case m == 0:
			return n + 1
		case n == 0:
			return ack(m-1, 1)
		}
		return ack(m-1, ack(m, n-1))
	}
	fmt.Println(ack(2, 3))
	steps := [...]func(*int){func(p *int) { *p++ }, func(p *int) { *p *= 3 }}
	v := 1
	for _, s := range steps {
		s(&v)
	}
	fmt.Println(v, func(a ...int) int { return len(a) }(1, 2, 3))
}
