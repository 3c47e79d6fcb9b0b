package main

import (
	"fmt"
)

type V struct{ n int }

func (v V) String() string { return fmt.Sprint("V", v.n) }

type N struct {
	V
	m int
}

type O struct {
	*V
}

type L []V

func (l L) String() string { return fmt.Sprint("L", len(l), []V(l)) }

type M map[string]V

func (m *M) String() string { return "M" }

type F func() string

func (f F) String() string { return "F:" + f() }

type Ch chan int

func (Ch) String() string { return "Ch" }

func main() {
	fmt.Println(V{1}, &V{2}, N{V{3}, 4}, &N{V{5}, 6}, O{&V{7}}, L{{8}}, &L{{9}})
	m := M{"a": {1}}
	fmt.Println(m, &m, F(func() string { return "f" }), Ch(nil))
	var nv *V
	fmt.Println(nv, O{})
	fmt.Printf("%v %s %+v %d\n", N{V{1}, 2}, N{V{1}, 2}, N{V{1}, 2}, N{V{1}, 2})
	var np *N
	fmt.Printf("%v %s\n", np, np)
}
