package main

import (
	"fmt"
	"unsafe"
)

type A struct {
	a bool
	b int64
	c bool
}

type B struct {
	a, c bool
	b    int64
	d    [3]uint16
	e    struct{}
}

type E interface{ M() }

func main() {
	var a A
	var b B
	fmt.Println(unsafe.Sizeof(a), unsafe.Sizeof(b), unsafe.Alignof(a.a), unsafe.Offsetof(a.b),
		unsafe.Offsetof(a.c), unsafe.Offsetof(b.d))
	fmt.Println(unsafe.Sizeof(""), unsafe.Sizeof([]int{}), unsafe.Sizeof(map[int]int{}), unsafe.Sizeof(any(1)),
		unsafe.Sizeof(E(nil)), unsafe.Sizeof([3]A{}))
	const n = unsafe.Sizeof(int32(0)) * 2
	var arr [n]byte
	fmt.Println(len(arr))
	x := [4]int32{1, 2, 3, 4}
	p := (*int32)(unsafe.Add(unsafe.Pointer(&x), 8))
	fmt.Println(*p, unsafe.Slice(&x[1], 2), unsafe.String(unsafe.StringData("hello"), 3))
	f := 1.5
	fmt.Printf("%#x\n", *(*uint64)(unsafe.Pointer(&f)))
	by := []byte("bytes")
	fmt.Println(unsafe.String(unsafe.SliceData(by), len(by)),
		*(*byte)(unsafe.Pointer(uintptr(unsafe.Pointer(&by[0])) + 1)))
}
