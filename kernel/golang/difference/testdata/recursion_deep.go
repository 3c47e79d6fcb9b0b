package main

import "fmt"

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func ackermann(m, n int) int {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func hanoi(n int, a, b, c string, move func(string, string)) {
	if n > 0 {
		hanoi(n-1, a, c, b, move)
		move(a, c)
		hanoi(n-1, b, a, c, move)
	}
}

func isEven(n int) bool { return n == 0 || isOdd(n-1) }
func isOdd(n int) bool  { return n != 0 && isEven(n-1) }

func permute(xs []int, f func([]int)) {
	var rec func(int)
	rec = func(k int) {
		if k == len(xs) {
			f(xs)
			return
		}
		for i := k; i < len(xs); i++ {
			xs[k], xs[i] = xs[i], xs[k]
			rec(k + 1)
			xs[k], xs[i] = xs[i], xs[k]
		}
	}
	rec(0)
}

func main() {
	fmt.Println(depth(10000), ackermann(2, 3), isEven(101))
	n := 0
	hanoi(5, "a", "b", "c", func(x, y string) { n++ })
	fmt.Println(n)
	permute([]int{1, 2, 3}, func(p []int) { fmt.Print(p, " ") })
	fmt.Println()
}
