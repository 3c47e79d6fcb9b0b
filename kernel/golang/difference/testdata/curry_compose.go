package main

import (
	"fmt"
	"strconv"
)

func compose[A, B, C any](f func(A) B, g func(B) C) func(A) C { return func(a A) C { return g(f(a)) } }
func curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}
func main() {
	add := curry(func(a int, b float64) float64 { return float64(a) + b })
	show := compose(add(2), func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) })
	fmt.Println(show(1.5), compose(strconv.Itoa, func(s string) int { return len(s) })(12345))
}
