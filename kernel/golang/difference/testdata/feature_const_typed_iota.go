package main

import (
	"fmt"
)

type size uint64

const (
	_       = iota
	kb size = 1 << (10 * iota)
	mb
	gb
)
const (
	a, b = iota, iota * 10
	c, d
	_, _
	e, f
)
const big = 1 << 100

func main() {
	fmt.Println(kb, mb, gb, a, b, c, d, e, f, big>>98, float64(big))
	fmt.Printf("%T %T %T\n", kb, a, 'x'+1.0)
}
