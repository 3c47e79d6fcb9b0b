package main

import (
	"fmt"
	"math"
)

const (
	huge  = 1 << 100
	small = huge >> 98
	third = 1.0 / 3
	big   = huge * third
)

const (
	_  = iota
	kb = 1 << (10 * iota)
	mb
	gb
)

type weekday uint8

const (
	mon weekday = iota + 1
	tue
	_
	thu
)

const text = "a" + "b"
const length = len(text)

const (
	a, b = iota, iota * 10
	c, d
)

func main() {
	fmt.Println(small, kb, mb, gb, mon, tue, thu, length, a, b, c, d)
	fmt.Println(big > 4e29, float32(third), third*3 == 1, huge/(huge-1) == 1)
	var f float32 = 1 << 24
	var i8 int8 = -1 << 7
	fmt.Println(f+1, i8, -i8, uint8(255)-uint8(mon), math.MaxUint64/3 == 6148914691236517205)
	fmt.Printf("%T %T %T %T\n", 'a'+1, 'a'+1.0, 1+2i, 1<<3.0)
	const u = ^uint8(3)
	fmt.Println(u, ^3, 7&^5, -7/2, -7%3, 7%-3, 0x1p-2, 0b1010, 0o17, 1_000_000)
	var arr [length * 2]int
	fmt.Println(len(arr), math.Pi, float32(math.Pi), math.E*1e10)
}
