package main

import (
	"fmt"
)

func two() (int, string)          { return 1, "a" }
func take(n int, s string) string { return fmt.Sprint(s, n) }
func any2(v ...any) int           { return len(v) }
func main() {
	fmt.Println(take(two()), any2(two()))
	a, _ := two()
	_, b := two()
	fmt.Println(a, b)
	fmt.Println(two())
	var i any
	i, b = two()
	fmt.Println(i, b)
}
