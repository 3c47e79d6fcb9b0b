package layout

import (
	"errors"
	"reflect"
	"unsafe"
)

// Eface is how an `any` lies in memory.
type Eface struct{ Type, Data unsafe.Pointer }

// Iface is how an interface with methods lies in memory.
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

// TypeWord is the first word of interfaces that hold a value of a layout.
func TypeWord(rt reflect.Type) unsafe.Pointer {
	zero := reflect.Zero(rt).Interface()
	return (*Eface)(unsafe.Pointer(&zero)).Type
}

type probe struct{ n int }

func (p *probe) Error() string { return "" }

// Check compares this package's picture of memory with the Go runtime that the program is linked with.
func Check() error {
	p := &probe{1}
	var e any = p
	var i error = p
	eface, iface := (*Eface)(unsafe.Pointer(&e)), (*Iface)(unsafe.Pointer(&i))
	if eface.Data != unsafe.Pointer(p) || iface.Data != unsafe.Pointer(p) || iface.Table.Type != eface.Type {
		return errors.New("interfaces do not lie in memory as this program expects")
	}
	f := capture(p)
	v := *(**Func)(unsafe.Pointer(&f))
	g := capture(&probe{2})
	if v.Captured != unsafe.Pointer(p) || (*(**Func)(unsafe.Pointer(&g))).Code != v.Code || f() != 1 {
		return errors.New("function values do not lie in memory as this program expects")
	}
	one := reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.TypeFor[*probe]()}})
	box := reflect.New(one)
	*(**probe)(box.UnsafePointer()) = p
	e = box.Elem().Interface()
	if !Direct(one) || (*Eface)(unsafe.Pointer(&e)).Data != unsafe.Pointer(p) {
		return errors.New("a struct of one pointer does not lie in an interface as this program expects")
	}
	return nil
}

//go:noinline
func capture(p *probe) func() int { return func() int { return p.n } }
