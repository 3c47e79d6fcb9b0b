package main

import (
	"errors"
	"fmt"
	"strings"
)

func sum(base int, xs ...int) (n, total int) {
	for _, x := range xs {
		total += x
	}
	return len(xs), base + total
}

func pair() (string, error) { return "p", nil }

func take(s string, err error) string { return fmt.Sprint(s, err) }

func all(xs ...any) int { return len(xs) }

func apply(fs ...func(int) int) (x int) {
	x = 1
	for _, f := range fs {
		x = f(x)
	}
	return
}

func named() (a, b int, err error) {
	a = 1
	if b = 2; a < b {
		err = errors.New("named")
		return
	}
	return 3, 4, nil
}

func main() {
	fmt.Println(sum(1))
	fmt.Println(sum(1, 2, 3))
	fmt.Println(sum(1, []int{4, 5, 6}...))
	fmt.Println(take(pair()), all(), all(nil), all(1, "a", nil), all([]any{1, 2}...), all([]int{1, 2}))
	fmt.Println(apply(func(x int) int { return x + 1 }, func(x int) int { return x * 10 }))
	fmt.Println(named())
	a, _ := sum(0, 9)
	_, b := sum(0, 9)
	fmt.Println(a, b)
	xs := []int{1, 2}
	func(ys ...int) { ys[0] = 100 }(xs...)
	fmt.Println(xs)
	m := map[string]func(...string) string{"join": func(s ...string) string { return strings.Join(s, "+") }}
	fmt.Println(m["join"]("a", "b"))
}
