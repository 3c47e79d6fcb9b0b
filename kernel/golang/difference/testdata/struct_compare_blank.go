package main

import (
	"fmt"
)

type P struct {
	X int
	_ string
	Y float64
}

type N struct {
	P
	T *P
	I any
	F [2]string
}

func main() {
	fmt.Println(P{X: 1} == P{X: 1}, P{X: 1} == P{X: 2})
	p := &P{}
	a, b := N{P{1, "", 2}, p, 3, [2]string{"a"}}, N{P{1, "", 2}, p, 3, [2]string{"a"}}
	fmt.Println(a == b, &a == &b, a.P == b.P)
	b.I = int8(3)
	fmt.Println(a == b)
	anon := struct {
		X int
		Y string
	}{1, "y"}
	type Named struct {
		X int
		Y string
	}
	n := Named(anon)
	fmt.Println(n == Named{1, "y"}, n == anon, struct{}{} == struct{}{})
	fmt.Printf("%v %+v %#v\n", a.F, anon, n)
	type tagged struct {
		X int `json:"x"`
		Y string
	}
	fmt.Println(Named(tagged{5, "z"}))
}
