package main

import (
	"fmt"
	"math"
)

func main() {
	a, b := 17, 5
	fmt.Println(a+b, a-b, a*b, a/b, a%b, -a/b, -a%b, a&b, a|b, a^b, a&^b, a<<3, a>>1, ^a, +a)
	var i8 int8 = 127
	i8++
	var u8 uint8
	u8--
	var i16 int16 = -32768
	i16--
	var u32 uint32 = 1 << 31
	u32 *= 2
	fmt.Println(i8, u8, i16, u32)
	var i64 int64 = math.MinInt64
	fmt.Println(i64/-1, i64%-1, -i64)
	n := uint(70)
	fmt.Println(1<<n == 0, int32(1)<<n, int8(-128)>>n, uint64(1)<<63>>n)
}
