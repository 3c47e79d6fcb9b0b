package compile

import (
	"go/constant"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
)

// operand returns the place of a value that is read.
func (b *body) operand(v ssa.Value) uintptr {
	if e, ok := v.(*ssa.Extract); ok {
		b.placeExtract(e)
	}
	return b.slot(v)
}

// placeExtract places an element inside its tuple, so that it changes with the tuple.
func (b *body) placeExtract(e *ssa.Extract) {
	if _, ok := b.slots[e]; ok {
		return
	}
	tuple := b.Types.Of(e.Tuple.Type())
	b.slots[e] = b.slot(e.Tuple) + tuple.Field(e.Index).Offset
}

// slot returns the place of a value in the frame.
func (b *body) slot(v ssa.Value) uintptr {
	if offset, ok := b.slots[v]; ok {
		return offset
	}
	switch v := v.(type) {
	case *ssa.Const:
		return b.placeConstant(v)
	case *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr:
		if p := b.memory(v); p != nil {
			return b.placePreset(v, reflect.TypeFor[unsafe.Pointer](), unsafe.Pointer(&p))
		}
	case *ssa.Function:
		p := b.funcValue(v)
		return b.placePreset(v, reflect.TypeFor[unsafe.Pointer](), unsafe.Pointer(&p))
	}
	offset := b.plan.Add(b.Types.Of(v.Type()))
	b.slots[v] = offset
	return offset
}

// placePreset assigns a value a place that is set when the frame is made.
func (b *body) placePreset(v ssa.Value, rt reflect.Type, value unsafe.Pointer) uintptr {
	offset := b.plan.Add(rt)
	b.slots[v] = offset
	b.constants = append(b.constants, preset{offset, rt, value})
	b.keep[offset] = true
	return offset
}

func (b *body) placeConstant(v *ssa.Const) uintptr {
	rt := b.Types.Of(v.Type())
	p := reflect.New(rt)
	setConstant(p.Elem(), v)
	return b.placePreset(v, rt, p.UnsafePointer())
}

// setConstant writes a constant. A nil value is the zero value of any type.
func setConstant(to reflect.Value, v *ssa.Const) {
	if v.Value == nil {
		return
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

// memory returns the address of a variable of the session, or of a part of one, if it is known before the code runs.
func (b *body) memory(v ssa.Value) unsafe.Pointer {
	switch v := v.(type) {
	case *ssa.Global:
		return b.Global(v)
	case *ssa.FieldAddr:
		if base := b.memory(v.X); base != nil {
			offset, _ := fieldAt(b.Types.Of(pointee(v.X.Type())), v.Field)
			return unsafe.Add(base, offset)
		}
	case *ssa.IndexAddr:
		p, ok := v.X.Type().Underlying().(*types.Pointer)
		n, known := v.Index.(*ssa.Const)
		if !ok || !known || n.Value == nil || n.Value.Kind() != constant.Int {
			return nil
		}
		array := p.Elem().Underlying().(*types.Array)
		base := b.memory(v.X)
		if index, exact := constant.Int64Val(n.Value); base != nil && exact && index >= 0 && index < array.Len() {
			return unsafe.Add(base, uintptr(index)*b.Types.Of(array.Elem()).Size())
		}
	}
	return nil
}

// source returns where an operand is read.
func (b *body) source(v ssa.Value) slot.Ref {
	if load, ok := v.(*ssa.UnOp); ok && b.fused[v] {
		return slot.Ref{Memory: b.memory(load.X)}
	}
	return slot.Ref{Offset: b.operand(v)}
}

// integer returns a function that reads an integer of any type as an int. A number that does not fit becomes negative,
// so it fails every check of a range.
func (b *body) integer(v ssa.Value) func(unsafe.Pointer) int {
	return b.integerAt(v, slot.Ref{Offset: b.operand(v)})
}

func (b *body) integerAt(v ssa.Value, x slot.Ref) func(unsafe.Pointer) int {
	return slot.Integer(b.kind(v), x)
}

// unsigned64 reports whether an index of a type may exceed an int.
func unsigned64(v ssa.Value) bool {
	if v == nil {
		return false
	}
	basic, ok := v.Type().Underlying().(*types.Basic)
	if !ok {
		return false
	}
	return basic.Kind() == types.Uint || basic.Kind() == types.Uint64 || basic.Kind() == types.Uintptr
}

func isInt(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && (basic.Kind() == types.Int || basic.Kind() == types.Int64)
}
