package main

import "fmt"

var intS int
var int8S int8
var int16S int16
var int32S int32
var int64S int64
var uintS uint
var uint8S uint8
var uint16S uint16
var uint32S uint32
var uint64S uint64
var uintptrS uintptr
var (
	count   int
	count8  uint8
	counts  int16
	count64 uint64
)

func intShift(v int, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	intS = v
	intS <<= 3
	r1 := intS
	intS = v >> 2
	r2 := intS
	r3 := intS << 1
	intS <<= count
	r4 := intS
	intS = v
	intS >>= count8
	r5 := intS
	r6 := v << counts
	r7 := v >> count64
	intS = v
	intS ^= intS << 5
	intS ^= intS >> 3
	fmt.Println("int", n, r1, r2, r3, r4, r5, r6, r7, intS)
}

func int8Shift(v int8, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	int8S = v
	int8S <<= 3
	r1 := int8S
	int8S = v >> 2
	r2 := int8S
	r3 := int8S << 1
	int8S <<= count
	r4 := int8S
	int8S = v
	int8S >>= count8
	r5 := int8S
	r6 := v << counts
	r7 := v >> count64
	int8S = v
	int8S ^= int8S << 5
	int8S ^= int8S >> 3
	fmt.Println("int8", n, r1, r2, r3, r4, r5, r6, r7, int8S)
}

func int16Shift(v int16, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	int16S = v
	int16S <<= 3
	r1 := int16S
	int16S = v >> 2
	r2 := int16S
	r3 := int16S << 1
	int16S <<= count
	r4 := int16S
	int16S = v
	int16S >>= count8
	r5 := int16S
	r6 := v << counts
	r7 := v >> count64
	int16S = v
	int16S ^= int16S << 5
	int16S ^= int16S >> 3
	fmt.Println("int16", n, r1, r2, r3, r4, r5, r6, r7, int16S)
}

func int32Shift(v int32, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	int32S = v
	int32S <<= 3
	r1 := int32S
	int32S = v >> 2
	r2 := int32S
	r3 := int32S << 1
	int32S <<= count
	r4 := int32S
	int32S = v
	int32S >>= count8
	r5 := int32S
	r6 := v << counts
	r7 := v >> count64
	int32S = v
	int32S ^= int32S << 5
	int32S ^= int32S >> 3
	fmt.Println("int32", n, r1, r2, r3, r4, r5, r6, r7, int32S)
}

func int64Shift(v int64, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	int64S = v
	int64S <<= 3
	r1 := int64S
	int64S = v >> 2
	r2 := int64S
	r3 := int64S << 1
	int64S <<= count
	r4 := int64S
	int64S = v
	int64S >>= count8
	r5 := int64S
	r6 := v << counts
	r7 := v >> count64
	int64S = v
	int64S ^= int64S << 5
	int64S ^= int64S >> 3
	fmt.Println("int64", n, r1, r2, r3, r4, r5, r6, r7, int64S)
}

func uintShift(v uint, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uintS = v
	uintS <<= 3
	r1 := uintS
	uintS = v >> 2
	r2 := uintS
	r3 := uintS << 1
	uintS <<= count
	r4 := uintS
	uintS = v
	uintS >>= count8
	r5 := uintS
	r6 := v << counts
	r7 := v >> count64
	uintS = v
	uintS ^= uintS << 5
	uintS ^= uintS >> 3
	fmt.Println("uint", n, r1, r2, r3, r4, r5, r6, r7, uintS)
}

func uint8Shift(v uint8, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uint8S = v
	uint8S <<= 3
	r1 := uint8S
	uint8S = v >> 2
	r2 := uint8S
	r3 := uint8S << 1
	uint8S <<= count
	r4 := uint8S
	uint8S = v
	uint8S >>= count8
	r5 := uint8S
	r6 := v << counts
	r7 := v >> count64
	uint8S = v
	uint8S ^= uint8S << 5
	uint8S ^= uint8S >> 3
	fmt.Println("uint8", n, r1, r2, r3, r4, r5, r6, r7, uint8S)
}

func uint16Shift(v uint16, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uint16S = v
	uint16S <<= 3
	r1 := uint16S
	uint16S = v >> 2
	r2 := uint16S
	r3 := uint16S << 1
	uint16S <<= count
	r4 := uint16S
	uint16S = v
	uint16S >>= count8
	r5 := uint16S
	r6 := v << counts
	r7 := v >> count64
	uint16S = v
	uint16S ^= uint16S << 5
	uint16S ^= uint16S >> 3
	fmt.Println("uint16", n, r1, r2, r3, r4, r5, r6, r7, uint16S)
}

func uint32Shift(v uint32, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uint32S = v
	uint32S <<= 3
	r1 := uint32S
	uint32S = v >> 2
	r2 := uint32S
	r3 := uint32S << 1
	uint32S <<= count
	r4 := uint32S
	uint32S = v
	uint32S >>= count8
	r5 := uint32S
	r6 := v << counts
	r7 := v >> count64
	uint32S = v
	uint32S ^= uint32S << 5
	uint32S ^= uint32S >> 3
	fmt.Println("uint32", n, r1, r2, r3, r4, r5, r6, r7, uint32S)
}

func uint64Shift(v uint64, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uint64S = v
	uint64S <<= 3
	r1 := uint64S
	uint64S = v >> 2
	r2 := uint64S
	r3 := uint64S << 1
	uint64S <<= count
	r4 := uint64S
	uint64S = v
	uint64S >>= count8
	r5 := uint64S
	r6 := v << counts
	r7 := v >> count64
	uint64S = v
	uint64S ^= uint64S << 5
	uint64S ^= uint64S >> 3
	fmt.Println("uint64", n, r1, r2, r3, r4, r5, r6, r7, uint64S)
}

func uintptrShift(v uintptr, n int) {
	count, count8, counts, count64 = n, uint8(n), int16(n), uint64(n)
	uintptrS = v
	uintptrS <<= 3
	r1 := uintptrS
	uintptrS = v >> 2
	r2 := uintptrS
	r3 := uintptrS << 1
	uintptrS <<= count
	r4 := uintptrS
	uintptrS = v
	uintptrS >>= count8
	r5 := uintptrS
	r6 := v << counts
	r7 := v >> count64
	uintptrS = v
	uintptrS ^= uintptrS << 5
	uintptrS ^= uintptrS >> 3
	fmt.Println("uintptr", n, r1, r2, r3, r4, r5, r6, r7, uintptrS)
}

func main() {
	intShift(-91, 0)
	intShift(-91, 1)
	intShift(-91, 7)
	intShift(-91, 31)
	intShift(-91, 63)
	intShift(-91, 64)
	intShift(-91, 100)
	int8Shift(0x5b, 0)
	int8Shift(0x5b, 1)
	int8Shift(0x5b, 7)
	int8Shift(0x5b, 31)
	int8Shift(0x5b, 63)
	int8Shift(0x5b, 64)
	int8Shift(0x5b, 100)
	int16Shift(-91, 0)
	int16Shift(-91, 1)
	int16Shift(-91, 7)
	int16Shift(-91, 31)
	int16Shift(-91, 63)
	int16Shift(-91, 64)
	int16Shift(-91, 100)
	int32Shift(-91, 0)
	int32Shift(-91, 1)
	int32Shift(-91, 7)
	int32Shift(-91, 31)
	int32Shift(-91, 63)
	int32Shift(-91, 64)
	int32Shift(-91, 100)
	int64Shift(-91, 0)
	int64Shift(-91, 1)
	int64Shift(-91, 7)
	int64Shift(-91, 31)
	int64Shift(-91, 63)
	int64Shift(-91, 64)
	int64Shift(-91, 100)
	uintShift(0xdb, 0)
	uintShift(0xdb, 1)
	uintShift(0xdb, 7)
	uintShift(0xdb, 31)
	uintShift(0xdb, 63)
	uintShift(0xdb, 64)
	uintShift(0xdb, 100)
	uint8Shift(0xdb, 0)
	uint8Shift(0xdb, 1)
	uint8Shift(0xdb, 7)
	uint8Shift(0xdb, 31)
	uint8Shift(0xdb, 63)
	uint8Shift(0xdb, 64)
	uint8Shift(0xdb, 100)
	uint16Shift(0xdb, 0)
	uint16Shift(0xdb, 1)
	uint16Shift(0xdb, 7)
	uint16Shift(0xdb, 31)
	uint16Shift(0xdb, 63)
	uint16Shift(0xdb, 64)
	uint16Shift(0xdb, 100)
	uint32Shift(0xdb, 0)
	uint32Shift(0xdb, 1)
	uint32Shift(0xdb, 7)
	uint32Shift(0xdb, 31)
	uint32Shift(0xdb, 63)
	uint32Shift(0xdb, 64)
	uint32Shift(0xdb, 100)
	uint64Shift(0xdb, 0)
	uint64Shift(0xdb, 1)
	uint64Shift(0xdb, 7)
	uint64Shift(0xdb, 31)
	uint64Shift(0xdb, 63)
	uint64Shift(0xdb, 64)
	uint64Shift(0xdb, 100)
	uintptrShift(0xdb, 0)
	uintptrShift(0xdb, 1)
	uintptrShift(0xdb, 7)
	uintptrShift(0xdb, 31)
	uintptrShift(0xdb, 63)
	uintptrShift(0xdb, 64)
	uintptrShift(0xdb, 100)
	defer func() { fmt.Println(recover()) }()
	intShift(1, -1)
}
