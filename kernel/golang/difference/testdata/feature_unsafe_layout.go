package main

import (
	"fmt"
	"unsafe"
)

type s struct {
	a bool
	b int64
	c uint16
	d string
	e []int
	f any
}

func main() {
	var v s
	fmt.Println(unsafe.Sizeof(v), unsafe.Alignof(v.b), unsafe.Offsetof(v.c), unsafe.Offsetof(v.f))
	x := [3]int32{1, 2, 3}
	p := (*int32)(unsafe.Add(unsafe.Pointer(&x[0]), 4))
	*p = 9
	fmt.Println(x, unsafe.Slice(&x[0], 2), unsafe.String(unsafe.StringData("abc"), 2))
}
