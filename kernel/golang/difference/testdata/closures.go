package main

import (
	"fmt"
	"strconv"
	"strings"
)

func adder() func(int) int {
	sum := 0
	return func(x int) int {
		sum += x
		return sum
	}
}

func compose[A, B, C any](f func(A) B, g func(B) C) func(A) C {
	return func(a A) C { return g(f(a)) }
}

func main() {
	a, b := adder(), adder()
	for i := 0; i < 3; i++ {
		fmt.Print(a(i), " ", b(-i), " ")
	}
	fmt.Println()
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fmt.Println(fib(15))
	fmt.Println(compose(strconv.Itoa, func(s string) int { return len(s) })(12345))
	x, y, z := 1, "s", []int{1}
	f := func() { x++; y += "t"; z = append(z, x) }
	f()
	f()
	fmt.Println(x, y, z)
	func(args ...int) { fmt.Println(len(args), args) }(1, 2, 3)
	g := strings.ToUpper
	fmt.Println(g("up"), f != nil)
}
