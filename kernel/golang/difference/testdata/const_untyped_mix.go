package main

import (
	"fmt"
	"math"
)

const (
	Big   = 1 << 100
	Small = Big >> 98
	Third = 1.0 / 3
	R     = 'a' + 1
	C     = 2i * 2i
	F     = 5 / 2
	G     = 5 / 2.0
	H     = len("abc") * 2.0
)

type T float32

func main() {
	var f float32 = Third
	var i int8 = 'a'
	var t T = Big
	fmt.Println(Small, Third, f, R, string(rune(R)), C, F, G, H, i, t)
	fmt.Printf("%T %T %T %T %T\n", R, C, G, H, 1<<3)
	var s uint = 3
	var w int64 = 1 << s
	var u = uint8(1)<<s<<5 + 1
	fmt.Println(w, u, 1<<s, uint32(1)<<31, -7/2, -7%2, 7&^5)
	fmt.Println(math.MaxUint32, uint64(math.MaxUint64), math.MinInt64, math.Pi*Big/Big)
	const huge = math.MaxFloat64 * 2 / 4
	fmt.Println(huge, math.SmallestNonzeroFloat64, float32(16777217.0), 0x1p-2, 0b101, 0o17, 1_000)
	var c complex64 = C
	fmt.Println(c, real(C), imag(3i), complex(1, 2)*complex(0, 1))
}
