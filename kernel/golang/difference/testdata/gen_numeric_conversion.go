package main

import (
	"fmt"
)

type Num interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func Conv[To, From Num](v From) To { return To(v) }

func Shl[T ~int8 | ~uint8 | ~int64](v T, n uint) T { return v << n }

func Neg[T Num](v T) T { return -v }

func main() {
	fmt.Println(Conv[int8](int64(300)), Conv[uint16](int32(-1)), Conv[float32](uint64(1<<63)), Conv[int32](3.99))
	fmt.Println(Shl(int8(3), 6), Shl(uint8(3), 7), Shl(int64(1), 64), Neg(uint8(1)), Neg(int8(-128)))
	fmt.Println(Conv[uint8](int16(-129)), Conv[int16](uint16(65535)), Conv[float64](float32(.1)))
}
