package main

import "fmt"

func main() {
	var u8 uint8 = 0x81
	var i8 int8 = -127
	for _, n := range []uint{0, 1, 7, 8, 63, 64, 200} {
		fmt.Println(n, u8<<n, u8>>n, i8<<n, i8>>n, int64(-5)>>n, uint64(1)<<n, int32(-1)<<n)
	}
	var s int8 = 3
	var c uint16 = 70
	fmt.Println(1<<s, int64(1)<<c, uint32(1)<<s, -8>>s, 1<<s == 8)
	var w int64 = 1.0 << 3
	var x = make([]int, 1<<s)
	var f = float64(int(1) << s)
	fmt.Println(w, len(x), f)
	var k uint = 33
	var i = 1 << k
	var j int32 = 1 << k
	var m = uint64(1<<k) + uint64(1)<<k
	fmt.Println(i, j, m)
	u8 <<= 1
	i8 >>= 2
	fmt.Println(u8, i8)
	defer func() { fmt.Println(recover()) }()
	s = -1
	fmt.Println(1 << s)
}
