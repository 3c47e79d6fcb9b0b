package main

import (
	"fmt"
	"math"
)

func main() {
	var i8 int8 = 127
	i8++
	var u8 uint8
	u8--
	var i16 int16 = -32768
	i16 = -i16
	var i32 int32 = math.MaxInt32
	i32 += 2
	var i64 int64 = math.MinInt64
	u64 := uint64(0)
	u64--
	fmt.Println(i8, u8, i16, i32, i64-1, -i64, u64, u64*u64, i64/-1, i64%-1)
	a, b := int8(-128), int8(-1)
	fmt.Println(a/b, a%b, a*b, a-b, a&b, a|b, a^b, a&^b, ^a)
	x := uint16(40000)
	fmt.Println(x+x, x*x, x<<1, x>>3, ^x, -x, int16(x), int8(x), uint8(x>>8))
	var n int = -7
	for _, d := range []int{2, -2, 3, -3} {
		fmt.Print(n/d, n%d, " ")
	}
	fmt.Println(uint(n)>>60, n>>1, n>>70, n<<62, uint8(n), uint32(n))
}
