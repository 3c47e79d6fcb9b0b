package main

import "fmt"

type Fn[A, B any] func(A) B

func (f Fn[A, B]) Apply(xs ...A) []B {
	var out []B
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func compose[A, B, C any](f Fn[A, B], g Fn[B, C]) Fn[A, C] {
	return func(a A) C { return g(f(a)) }
}

func curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}

func main() {
	length := Fn[string, int](func(s string) int { return len(s) })
	even := Fn[int, bool](func(n int) bool { return n%2 == 0 })
	fmt.Println(compose(length, even).Apply("a", "bb", "ccc"))
	add := curry(func(a int, b string) string { return fmt.Sprint(a, b) })
	fmt.Println(add(1)("x"), add(2)("y"))
	f := fmt.Sprint
	fmt.Printf("%T %T %s\n", length, compose(length, even), f(1, 2))
}
