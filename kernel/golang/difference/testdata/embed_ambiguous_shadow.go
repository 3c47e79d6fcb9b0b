package main

import (
	"fmt"
)

type L struct{ V, L1 int }
type R struct{ V, R1 int }

func (L) M() string { return "L.M" }
func (R) N() string { return "R.N" }

type Both struct {
	L
	R
}

type Fix struct {
	Both
	V string
}

func (f Fix) N() string { return "Fix." + f.Both.N() }

func main() {
	b := Both{L{1, 2}, R{3, 4}}
	fmt.Println(b.L.V, b.R.V, b.L1, b.R1, b.M(), b.N())
	f := Fix{b, "v"}
	fmt.Println(f.V, f.L.V, f.N(), f.M())
	fmt.Printf("%+v\n", f)
}
