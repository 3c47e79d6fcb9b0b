package main

import (
	"fmt"
	"math"
	"unsafe"
)

type inner struct {
	a byte
	b int32
}

type middle struct {
	n int64
	inner
}

type outer[T any] struct {
	first T
	middle
	last []T
}

func (o *outer[T]) offsets() []uintptr {
	return []uintptr{unsafe.Offsetof(o.first), unsafe.Offsetof(o.middle), unsafe.Offsetof(o.inner),
		unsafe.Offsetof(o.b), unsafe.Offsetof(o.middle.b), unsafe.Offsetof(o.middle.inner.b),
		unsafe.Offsetof((o.last))}
}

func values[T any](o outer[T], p *outer[T]) []uintptr {
	return []uintptr{unsafe.Offsetof(o.b), unsafe.Offsetof(o.inner.b), unsafe.Sizeof(o.last[7]), unsafe.Sizeof(*p),
		unsafe.Alignof(p.first), unsafe.Sizeof(p.last[9])}
}

func faults(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

type node struct {
	next *node
	n    int
}

func main() {
	fmt.Println((*outer[byte])(nil).offsets(), (*outer[string])(nil).offsets(), new(outer[[3]int16]).offsets())
	fmt.Println(values(outer[byte]{}, nil), values(outer[string]{}, nil))
	b := []byte("hello")
	fmt.Println(unsafe.String(&b[1], 3), unsafe.Slice(&b[0], 2), unsafe.Slice((*int)(nil), 0) == nil)
	list := [2]node{{n: 1}, {n: 2}}
	fmt.Println(unsafe.Slice(&list[0], 2)[1].n, unsafe.String(nil, 0) == "")
	less, much := -1, uint64(math.MaxUint64)
	faults(func() { _ = unsafe.Slice((*int)(nil), 1) })
	faults(func() { _ = unsafe.Slice(&b[0], less) })
	faults(func() { _ = unsafe.Slice(&b[0], much) })
	faults(func() { _ = unsafe.Slice(new(uint64), much/8) })
	faults(func() { _ = unsafe.Slice(new(uint64), uint64(1)<<61) })
	faults(func() { _ = unsafe.String(nil, 1) })
	faults(func() { _ = unsafe.String(&b[0], less) })
	faults(func() { _ = unsafe.String(&b[0], much) })
}
