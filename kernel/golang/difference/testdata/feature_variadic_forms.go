package main

import (
	"fmt"
)

func sum(base int, ns ...int) int {
	for _, n := range ns {
		base += n
	}
	return base
}
func each(f func(...any) int, xs ...any) int { return f(xs...) }
func main() {
	fmt.Println(sum(1), sum(1, 2, 3), sum(0, []int{4, 5}...), sum(0, nil...))
	fmt.Println(each(func(a ...any) int { return len(a) }, 1, "a", nil), each(func(a ...any) int { return len(a) }))
	s := []int{1}
	func(v ...int) { v[0] = 9 }(s...)
	fmt.Println(s)
}
