// Package slot lays out frames: where results, parameters and values lie in one, and how values of a layout are copied
// between slots.
package slot

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Align returns the first place at or after an offset that is a multiple of to, a power of two.
func Align(offset, to uintptr) uintptr { return (offset + to - 1) &^ (to - 1) }

// At returns a place in a frame. Functions that make steps of type parameters, or that are short, have the mark
// "go:noinline": where the compiler inlines such a function, its steps call At instead of having it inlined.
func At[T any](frame unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(frame, offset)) }

// HeadSize is where the slots of a frame begin.
const HeadSize = unsafe.Sizeof(run.Head{})

// Plan has where a call's results and parameters are in the callee's frame. It depends only on the signature. A
// receiver and free variables come after.
type Plan struct {
	Results, Params []uintptr
	End             uintptr
	Fields          []Field
	Out             []reflect.Type
}

// Field is a slot of a frame.
type Field struct {
	Offset uintptr
	Type   reflect.Type
}

// Add finds room for a value of a layout. A value that takes no memory may be anywhere.
func (p *Plan) Add(rt reflect.Type) uintptr {
	if rt.Size() == 0 {
		return HeadSize
	}
	offset := Align(p.End, uintptr(rt.Align()))
	p.End = offset + rt.Size()
	p.Fields = append(p.Fields, Field{offset, rt})
	return offset
}

// PlanOf plans the calls of a signature.
func PlanOf(t *layout.Types, s *types.Signature) Plan {
	p := Plan{End: HeadSize}
	for v := range s.Results().Variables() {
		rt := t.Of(v.Type())
		p.Results, p.Out = append(p.Results, p.Add(rt)), append(p.Out, rt)
	}
	for v := range s.Params().Variables() {
		p.Params = append(p.Params, p.Add(t.Of(v.Type())))
	}
	return p
}

// Frame makes the type of the frame and checks that every field lies where the steps expect it.
func (p *Plan) Frame() reflect.Type {
	fields := make([]reflect.StructField, 0, len(p.Fields)+1)
	fields = append(fields, reflect.StructField{Name: "H", Type: reflect.TypeFor[run.Head]()})
	for i, f := range p.Fields {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: f.Type})
	}
	rt := reflect.StructOf(fields)
	for i, f := range p.Fields {
		if rt.Field(i+1).Offset != f.Offset {
			panic("slot: a field of a frame is not at its planned offset")
		}
	}
	return rt
}

// Code is a body of one step.
func (p *Plan) Code(step run.Instr) *run.Code {
	code := &run.Code{Entry: &run.Block{Code: []run.Instr{step}, Kind: run.Return}, Frame: p.Frame()}
	for _, f := range p.Fields {
		code.Pointers = Pointers(f.Type, f.Offset, code.Pointers)
	}
	return code
}

// Pointers lists the offsets of all pointers in a layout, at an offset.
func Pointers(rt reflect.Type, at uintptr, list []uintptr) []uintptr {
	const word = unsafe.Sizeof(uintptr(0))
	switch rt.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String, reflect.Slice:
		return append(list, at)
	case reflect.Interface:
		return append(list, at, at+word)
	case reflect.Struct:
		for i := range rt.NumField() {
			list = Pointers(rt.Field(i).Type, at+rt.Field(i).Offset, list)
		}
	case reflect.Array:
		for i := range rt.Len() {
			if len(list) > MaxPointers {
				break
			}
			list = Pointers(rt.Elem(), at+uintptr(i)*rt.Elem().Size(), list)
		}
	}
	return list
}

// MaxPointers bounds the work at the end of a call. A frame with more pointers keeps some until it is used again.
const MaxPointers = 64
