package main

import (
	"fmt"
)

func main() {
	x := 300
	var i64 int64 = -1 << 40
	f := 3.99
	fmt.Println(uint8(x), int8(x), int32(i64), uint32(i64>>8), int(f), int(-f), uint16(x*300), rune(x))
	var u uint8 = 250
	u += 10
	var i int8 = -128
	i = -i
	fmt.Println(u, i, i/-1, ^u, -u)
}
