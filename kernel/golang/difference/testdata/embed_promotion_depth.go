package main

import (
	"fmt"
)

type A struct{ Name, X string }

func (A) Who() string      { return "A" }
func (a *A) SetX(s string) { a.X = s }

type B struct {
	A
	X int
}

func (B) Who() string { return "B" }

type C struct {
	*B
	Y bool
}

type D struct {
	C
	Name float64
}

func main() {
	d := D{C{&B{A{"n", "x"}, 1}, true}, 2.5}
	d.SetX("changed")
	d.X++
	fmt.Println(d.Who(), d.A.Who(), d.X, d.A.X, d.Name, d.B.Name, d.Y)
	e := d
	e.X = 100
	fmt.Println(d.X, e.C.B == d.C.B)
	var w interface{ Who() string } = d
	fmt.Println(w.Who())
	var n C
	defer func() { fmt.Println(recover()) }()
	fmt.Println(n.X)
}
