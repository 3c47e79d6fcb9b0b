package main

import (
	"fmt"
)

func main() {
	var u8, big uint8 = 3, 200
	var s int = 4
	var u64 uint64 = 1 << 40
	x, y := int32(-5), uint32(0x80000001)
	fmt.Println(x<<u8, x>>u8, x>>big, x<<big, y>>s, y<<s, y>>u64, x>>u64, x<<u64)
	fmt.Println(1<<u8 == 8, int8(1)<<u8<<u8, uint8(255)<<s, int64(-1)<<63, -1>>u8)
	var f float64 = float64(int(1) << s)
	arr := make([]int, 1<<u8)
	fmt.Println(f, len(arr), arr[1<<u8-1], "abcdefghi"[1<<u8])
	y <<= 1
	x >>= 1
	u8 <<= s
	fmt.Println(x, y, u8, u8>>s>>s, ^uint8(0)<<s)
	type T int16
	t := T(-300)
	fmt.Println(t>>s, t<<s, t>>15, t<<15, uint16(t)>>s)
	func() {
		defer func() { fmt.Println(recover()) }()
		s = -s
		fmt.Println(1 << s)
	}()
}
