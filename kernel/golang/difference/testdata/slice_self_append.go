package main

import (
	"fmt"
)

type Node struct {
	kids []Node
	v    int
}

type Rec []Rec

func main() {
	s := []int{1, 2, 3}
	s = append(s, s...)
	s = append(s, s[1:3]...)
	fmt.Println(s)
	n := Node{v: 1}
	n.kids = append(n.kids, Node{v: 2}, Node{nil, 3})
	n.kids[0].kids = append(n.kids[0].kids, n.kids[1])
	fmt.Println(n, len(n.kids[0].kids[0].kids))
	r := Rec{nil, {}, {{}, nil}}
	r[1] = append(r[1], r[2]...)
	fmt.Println(r, len(r[1]))
	var f func(r Rec) int
	f = func(r Rec) int {
		t := 1
		for _, x := range r {
			t += f(x)
		}
		return t
	}
	fmt.Println(f(r))
	var a []any
	a = append(a, 1, a, []any{2})
	fmt.Println(a, len(a))
}
