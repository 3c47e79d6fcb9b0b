package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func Count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func Enumerate[T any](xs []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, x := range xs {
			if !yield(i, x) {
				return
			}
		}
	}
}

func find(n int) (r int) {
	defer func() { r += 1000 }()
	for i := range Count(100) {
		defer func() { r++ }()
		if i == n {
			return i
		}
	}
	return -1
}

func nested() string {
outer:
	for i := range Count(5) {
		for j := range Count(5) {
			if j == 3 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			fmt.Print(i, j, " ")
		}
	}
	return "done"
}

func main() {
	for i := range Count(3) {
		fmt.Print(i, " ")
	}
	for i, s := range Enumerate([]string{"a", "b", "c"}) {
		if i == 2 {
			break
		}
		fmt.Print(i, s, " ")
	}
	fmt.Println()
	fmt.Println(find(5), nested())
	for range Count(2) {
		fmt.Print("x")
	}
	for i := range 3 {
		fmt.Print(i)
	}
	fmt.Println()
	next, stop := iter.Pull(Count(3))
	a, ok := next()
	b, _ := next()
	stop()
	_, after := next()
	fmt.Println(a, ok, b, after)
	fmt.Println(slices.Collect(Count(4)), slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2})))
	for i, v := range slices.Backward([]int{1, 2, 3}) {
		fmt.Print(i, v, " ")
	}
	fmt.Println()
	defer func() { fmt.Println("recovered", recover()) }()
	for i := range Count(3) {
		if i == 1 {
			panic("in loop")
		}
	}
}
