package main

import (
	"fmt"
	"math"
)

type A struct {
	X int `a:"1"`
	Y string
}
type B struct {
	X int
	Y string `b:"2"`
}

func main() {
	f := -3.99
	fmt.Println(int(f), int8(f), int64(math.Trunc(f)), uint8(3.7+f*0), float32(0.1), float64(float32(0.1)))
	var i64 int64 = math.MinInt64
	fmt.Println(int32(i64), int16(i64>>40), uint64(i64), uint8(i64-1), -i64, i64/-1)
	fmt.Println(B(A{1, "y"}), A(B{2, "z"}) == A{2, "z"}, (*B)(&A{3, "w"}).Y)
	fmt.Println(string(rune(65)), string(rune(-1)), string([]rune{0x4e16, 'a'}), []byte("é"), []rune("né"))
	var r rune = 'x'
	var arrowless int8 = -1
	var u200 uint8 = 200
	fmt.Println(byte(r), uint16(arrowless), int8(u200), uintptr(7))
	type bytes []byte
	type str string
	fmt.Println(bytes("ab"), str(bytes("cd")), string(str("e")), []byte(str("f")), str([]rune("gh")))
	arr := [3]int([]int{1, 2, 3, 4})
	p := (*[2]int)([]int{5, 6, 7})
	p[0] = 9
	fmt.Println(arr, *p, float32(16777217), int(float32(16777217)))
	var e any = 3
	n, ok := e.(float64)
	fmt.Println(n, ok, uint32(1<<32-1), complex64(complex(1, 2)))
}
