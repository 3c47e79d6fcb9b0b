package main

import (
	"fmt"
	"math"
)

func main() {
	for _, f := range []float64{0.5, -0.5, 1e9, 255.9, 1 << 53, -1 << 31} {
		fmt.Print(int64(f), " ", int32(f), " ", uint64(math.Abs(f)), " ", float32(f), "; ")
	}
	fmt.Println()
	for _, n := range []int64{math.MaxInt64, math.MinInt64, 1<<53 + 1, -1} {
		fmt.Print(float64(n), " ", float32(n), " ", int64(float64(n>>1)), " ", uint64(n), " ", int32(n), " ",
			int16(n), "; ")
	}
	fmt.Println()
	for _, u := range []uint64{math.MaxUint64, 1 << 63, 1<<24 + 1} {
		fmt.Print(float64(u), " ", float32(u), " ", int64(u), " ", uint32(u), " ", int8(u), "; ")
	}
	fmt.Println()
	var i8 int8 = -1
	fmt.Println(uint8(i8), uint16(i8), uint32(i8), uint64(i8), int64(uint8(i8)), rune(i8), float32(i8))
	var u32 uint32 = math.MaxUint32
	fmt.Println(int32(u32), int64(u32), int64(int32(u32)), uint64(int32(u32)), float32(u32), uintptr(u32))
	fmt.Println(float32(0.1)*float32(0.1), float32(0.1*0.1), 0.1*0.1, float64(float32(0.1))*0.1)
}
