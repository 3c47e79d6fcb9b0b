package layout

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"
)

// Eface is the memory layout of an `any`.
type Eface struct{ Type, Data unsafe.Pointer }

// Iface is the memory layout of an interface with methods.
type Iface struct {
	Table *Table
	Data  unsafe.Pointer
}

// Table is the beginning of what an interface with methods points at.
type Table struct{ Interface, Type unsafe.Pointer }

// Func is the beginning of what a function value with one captured pointer points at.
type Func struct {
	Code     uintptr
	Captured unsafe.Pointer
}

// TypeWord returns the first word of interfaces that hold a value of a layout.
func TypeWord(rt reflect.Type) unsafe.Pointer {
	return (*Iface)(unsafe.Pointer(&rt)).Data
}

type probe struct{ n int }

func (p *probe) Error() string { return "" }

// picture has the ways to read memory that Check tests.
type picture struct {
	any      func(v any) Eface
	error    func(v error) Iface
	function func(f func() int) Func
	direct   func(rt reflect.Type) bool
}

var ours = picture{
	any:      func(v any) Eface { return *(*Eface)(unsafe.Pointer(&v)) },
	error:    func(v error) Iface { return *(*Iface)(unsafe.Pointer(&v)) },
	function: func(f func() int) Func { return **(**Func)(unsafe.Pointer(&f)) },
	direct:   IsDirect,
}

// Check compares the memory layouts of this package with the Go runtime that the program is linked with.
func Check() error { return ours.check() }

func (l picture) check() error {
	p := &probe{1}
	eface, iface := l.any(p), l.error(p)
	if eface.Data != unsafe.Pointer(p) || iface.Data != unsafe.Pointer(p) || iface.Table.Type != eface.Type {
		return Mismatch("interfaces are not laid out")
	}
	f := capture(p)
	v := l.function(f)
	if v.Captured != unsafe.Pointer(p) || l.function(capture(&probe{2})).Code != v.Code || f() != 1 {
		return Mismatch("function values are not laid out")
	}
	one := reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.TypeFor[*probe]()}})
	box := reflect.New(one)
	*(**probe)(box.UnsafePointer()) = p
	if !l.direct(one) || l.any(box.Elem().Interface()).Data != unsafe.Pointer(p) {
		return Mismatch("interfaces that hold one pointer are not laid out")
	}
	return nil
}

// Mismatch returns the error for a memory layout that differs from what this program expects.
func Mismatch(what string) error {
	return fmt.Errorf("cells cannot run: with %s, %s in memory as this program expects; build it with the Go release "+
		"that go.mod names", runtime.Version(), what)
}

//go:noinline
func capture(p *probe) func() int { return func() int { return p.n } }
