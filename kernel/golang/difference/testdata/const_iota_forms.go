package main

import (
	"fmt"
)

type Weekday int

const (
	Sun Weekday = iota
	Mon
	Tue
	_
	Thu
)

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
)

const (
	a, b = iota, iota * 10
	c, d
	_, _
	e, f
)

const (
	x = "s"
	y
	z = iota
	w
)

type Flags uint8

const (
	FA Flags = 1 << iota
	FB
	FC
	All = FA | FB | FC
)

func (f Flags) Has(g Flags) bool { return f&g != 0 }
func (d Weekday) String() string { return [...]string{"S", "M", "T", "W", "Th"}[d] }

func main() {
	fmt.Println(Sun, Mon, Thu, KB, MB, a, b, c, d, e, f, x, y, z, w)
	fmt.Println(FC, All, All.Has(FB), All&^FA, Flags(4).Has(FA))
	fmt.Printf("%d %v %s %T %x\n", Thu, Thu, Mon, All, Tue)
	const local = iota + 5
	fmt.Println(local)
}
