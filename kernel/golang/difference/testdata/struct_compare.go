package main

import "fmt"

type P struct {
	X, Y int
	s    string
}
type W struct {
	P
	I any
	A [2]P
	_ int
}
type Fn struct{ f func() }

func main() {
	a, b := P{1, 2, "x"}, P{1, 2, "x"}
	fmt.Println(a == b, &a == &b, a != P{}, [2]P{a} == [2]P{b, {}})
	w, v := W{P: a, I: b}, W{P: b, I: a}
	fmt.Println(w == v, any(w) == any(v), any(w) == any(a))
	v.A[1].s = "y"
	fmt.Println(w == v)
	type P2 P
	fmt.Println(P2(a) == P2(b), any(P2(a)) == any(a))
	anon := struct {
		X, Y int
		s    string
	}{1, 2, "x"}
	fmt.Println(anon == a, a == anon)
	var i, j any = 1, int64(1)
	fmt.Println(i == j, i == 1, j == int64(1), i != nil)
	c1, c2 := make(chan int), make(chan int)
	fmt.Println(c1 == c2, c1 == c1, any(c1) == any(c1))
	var e1, e2 error
	fmt.Println(e1 == e2, [2]any{1, "a"} == [2]any{1, "a"})
	func() {
		defer func() { fmt.Println(recover()) }()
		fmt.Println(any(Fn{}) == any(Fn{}))
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		w.I, v.I = []int{1}, []int{1}
		v.A[1].s = ""
		fmt.Println(w == v)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		m := map[any]int{}
		m[Fn{}] = 1
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		m := map[any]int{}
		_ = m[map[string]int{}]
	}()
}
