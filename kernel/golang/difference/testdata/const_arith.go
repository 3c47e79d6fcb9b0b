package main

import (
	"fmt"
	"math"
	"time"
)

const (
	A = 1 << iota
	B
	_
	D
)

const (
	x, y = iota, iota * 10
	z, w
)

type Weekday uint8

const (
	Sun Weekday = iota + 1
	Mon
)

const (
	Pi2         = 2 * math.Pi
	Huge        = 1e300 * 1e300 / 1e300
	Mask        = ^uint32(0)
	Rune        = 'x' - 'a'
	Typed int64 = 5 / 2 * 2.0
	Str         = "con" + "cat"
	Cmp         = len(Str) > 3 && Pi2 > 6
)

func main() {
	fmt.Println(A, B, D, x, y, z, w, Sun, Mon)
	fmt.Println(Pi2, Huge, Mask, Rune, Typed, Str, Cmp)
	const big = 1 << 62
	fmt.Println(big/(1<<60), uint64(big)<<1, 5.0/2, 5/2, 1/3.0*3 == 1)
	var f float32 = 1 / 3.0
	var u8 uint8 = 'a'
	var c = 2i * 2i
	fmt.Println(f, u8, c, real(c), math.MaxUint32, uint64(math.MaxUint64))
	s := 3
	var i64 int64 = 1 << s
	var ff = float64(1<<3) + float64(s)
	fmt.Println(i64, ff, 1<<s|1, uint8(1)<<7>>s, -5>>1, 0x_ff, 0b1010, 0o17, 1_000)
	fmt.Printf("%T %T %T %T %T\n", 1<<3, 2.0*3, 'a', 1i, "s"[0])
	var d = 10 * time.Second / 4
	fmt.Println(d, time.Duration(s)*time.Minute, math.Inf(-1), -0.0, 1/math.Inf(-1))
	fmt.Println(0.1+0.2 == 0.3, float32(0.1) == 0.1, math.Sqrt2*math.Sqrt2)
}
