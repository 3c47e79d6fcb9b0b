package compile

import (
	"go/constant"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func align(offset, to uintptr) uintptr { return (offset + to - 1) &^ (to - 1) }

// at gives a place in a frame.
func at[T any](frame unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(frame, offset)) }

const headSize = unsafe.Sizeof(run.Head{})

// plan says where a call's results and parameters lie in the callee's frame. It depends on the signature alone; a
// receiver and free variables come after.
type plan struct {
	results, params []uintptr
	end             uintptr
	fields          []field
	out             []reflect.Type
}

type field struct {
	offset uintptr
	rt     reflect.Type
}

func (p *plan) add(rt reflect.Type) uintptr {
	if rt.Size() == 0 {
		return headSize
	}
	offset := align(p.end, uintptr(rt.Align()))
	p.end = offset + rt.Size()
	p.fields = append(p.fields, field{offset, rt})
	return offset
}

func (c *Compiler) plan(s *types.Signature) plan {
	p := plan{end: headSize}
	for v := range s.Results().Variables() {
		rt := c.Types.Of(v.Type())
		p.results, p.out = append(p.results, p.add(rt)), append(p.out, rt)
	}
	for v := range s.Params().Variables() {
		p.params = append(p.params, p.add(c.Types.Of(v.Type())))
	}
	return p
}

// frame makes the type of the frame and checks that every field lies where the steps expect it.
func (p *plan) frame() reflect.Type {
	fields := make([]reflect.StructField, 0, len(p.fields)+1)
	fields = append(fields, reflect.StructField{Name: "H", Type: reflect.TypeFor[run.Head]()})
	for i, f := range p.fields {
		fields = append(fields, reflect.StructField{Name: "F" + itoa(i), Type: f.rt})
	}
	rt := reflect.StructOf(fields)
	for i, f := range p.fields {
		if rt.Field(i+1).Offset != f.offset {
			panic("compile: a field of a frame lies elsewhere than planned")
		}
	}
	return rt
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + string(rune('0'+i%10))
}

// pointers lists the offsets of all pointers in a layout, at an offset.
func pointers(rt reflect.Type, at uintptr, list []uintptr) []uintptr {
	const word = unsafe.Sizeof(uintptr(0))
	switch rt.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String, reflect.Slice:
		return append(list, at)
	case reflect.Interface:
		return append(list, at, at+word)
	case reflect.Struct:
		for i := range rt.NumField() {
			list = pointers(rt.Field(i).Type, at+rt.Field(i).Offset, list)
		}
	case reflect.Array:
		for i := range rt.Len() {
			if len(list) > maxPointers {
				break
			}
			list = pointers(rt.Elem(), at+uintptr(i)*rt.Elem().Size(), list)
		}
	}
	return list
}

// maxPointers bounds the work at the end of a call. A frame with more pointers keeps some until it is used again.
const maxPointers = 64

// slot gives the place of a value in the frame.
func (b *body) slot(v ssa.Value) uintptr {
	if offset, ok := b.slots[v]; ok {
		return offset
	}
	switch v := v.(type) {
	case *ssa.Const:
		return b.constant(v)
	case *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr:
		if p := b.memory(v); p != nil {
			return b.fixed(v, reflect.TypeFor[unsafe.Pointer](), unsafe.Pointer(&p))
		}
	case *ssa.Function:
		p := b.funcValue(v)
		return b.fixed(v, reflect.TypeFor[unsafe.Pointer](), unsafe.Pointer(&p))
	}
	offset := b.plan.add(b.Types.Of(v.Type()))
	b.slots[v] = offset
	return offset
}

// fixed gives a value a place that is set when the frame is made.
func (b *body) fixed(v ssa.Value, rt reflect.Type, value unsafe.Pointer) uintptr {
	offset := b.plan.add(rt)
	b.slots[v] = offset
	b.constants = append(b.constants, preset{offset, rt, value})
	b.keep[offset] = true
	return offset
}

// preset is a constant of a frame.
type preset struct {
	offset uintptr
	rt     reflect.Type
	value  unsafe.Pointer
}

func (b *body) constant(v *ssa.Const) uintptr {
	rt := b.Types.Of(v.Type())
	p := reflect.New(rt)
	setConstant(p.Elem(), v)
	return b.fixed(v, rt, p.UnsafePointer())
}

// setConstant writes a constant. A nil value is the zero value of any type.
func setConstant(to reflect.Value, v *ssa.Const) {
	if v.Value == nil {
		return
	}
	for to.Kind() == reflect.Struct && to.NumField() == 1 { // the layout of a cell's type
		to = to.Field(0)
	}
	switch to.Kind() {
	case reflect.Bool:
		to.SetBool(constant.BoolVal(v.Value))
	case reflect.String:
		if v.Value.Kind() == constant.String {
			to.SetString(constant.StringVal(v.Value))
		} else {
			to.SetString(string(rune(v.Int64())))
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		to.SetInt(v.Int64())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		to.SetUint(v.Uint64())
	case reflect.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(v.Value))
		to.SetFloat(float64(f))
	case reflect.Float64:
		to.SetFloat(v.Float64())
	case reflect.Complex64, reflect.Complex128:
		to.SetComplex(v.Complex128())
	case reflect.UnsafePointer:
		n := uintptr(v.Uint64())
		*(*uintptr)(to.Addr().UnsafePointer()) = n
	default:
		panic("compile: a constant of kind " + to.Kind().String())
	}
}

// mover copies a value of one layout.
type mover func(to, from unsafe.Pointer)

// moverOf gives the copy of a layout.
func moverOf(rt reflect.Type) mover {
	switch classOf(rt) {
	case classZero:
		return func(to, from unsafe.Pointer) {}
	case class8:
		return move[uint8]
	case class16:
		return move[uint16]
	case class32:
		return move[uint32]
	case class64:
		return move[uint64]
	case classPointer:
		return move[unsafe.Pointer]
	case classString:
		return move[string]
	case classSlice:
		return move[[]byte]
	case classInterface:
		return move[[2]unsafe.Pointer]
	case classBytes:
		size := rt.Size()
		return func(to, from unsafe.Pointer) {
			copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		}
	}
	blanks := layout.Blanks(rt)
	if len(blanks) == 0 {
		return func(to, from unsafe.Pointer) { reflect.NewAt(rt, to).Elem().Set(reflect.NewAt(rt, from).Elem()) }
	}
	return func(to, from unsafe.Pointer) {
		reflect.NewAt(rt, to).Elem().Set(reflect.NewAt(rt, from).Elem())
		for _, b := range blanks {
			reflect.NewAt(b.Type, unsafe.Add(to, b.Offset)).Elem().SetZero()
		}
	}
}

func move[T any](to, from unsafe.Pointer) { *(*T)(to) = *(*T)(from) }

// class sorts layouts by how they are copied.
type class uint8

const (
	classOther class = iota
	classZero
	class8
	class16
	class32
	class64
	classPointer
	classString
	classSlice
	classInterface
	classBytes // any size, no pointers
)

func classOf(rt reflect.Type) class {
	if rt.Size() == 0 {
		return classZero
	}
	if len(layout.Blanks(rt)) > 0 {
		return classOther
	}
	if !layout.Pointers(rt) {
		natural := uintptr(rt.Align()) == rt.Size()
		switch {
		case rt.Size() == 1:
			return class8
		case rt.Size() == 2 && natural:
			return class16
		case rt.Size() == 4 && natural:
			return class32
		case rt.Size() == 8 && natural:
			return class64
		}
		return classBytes
	}
	if layout.Direct(rt) {
		return classPointer
	}
	switch rt.Kind() {
	case reflect.String:
		return classString
	case reflect.Slice:
		return classSlice
	case reflect.Interface:
		return classInterface
	case reflect.Struct:
		if rt.NumField() == 1 {
			return classOf(rt.Field(0).Type)
		}
	}
	return classOther
}

// clearer zeroes a value of one layout.
func clearer(rt reflect.Type) func(unsafe.Pointer) {
	zero, copyIt := reflect.New(rt).UnsafePointer(), moverOf(rt)
	return func(p unsafe.Pointer) { copyIt(p, zero) }
}
