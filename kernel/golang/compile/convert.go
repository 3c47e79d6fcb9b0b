package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

func (b *body) emitConvert(i *ssa.Convert) { b.emitConvertTo(i, i.X) }

// emitConvertTo emits the conversion of a value to the type of another.
func (b *body) emitConvertTo(to ssa.Value, x ssa.Value) {
	dst, src := b.Types.Of(to.Type()), b.Types.Of(x.Type())
	d, s := b.slot(to), b.operand(x)
	dk, sk := layout.Unwrapped(dst).Kind(), layout.Unwrapped(src).Kind()
	switch {
	case layout.IsNumeric(sk) && layout.IsNumeric(dk):
		b.emit(step.Convert(sk, dk, d, s))
	case sk == reflect.Complex64 && dk == reflect.Complex128:
		b.emit(func(f unsafe.Pointer) { *slot.At[complex128](f, d) = complex128(*slot.At[complex64](f, s)) })
	case sk == reflect.Complex128 && dk == reflect.Complex64:
		b.emit(func(f unsafe.Pointer) { *slot.At[complex64](f, d) = complex64(*slot.At[complex128](f, s)) })
	case dk == reflect.String && layout.IsNumeric(sk):
		read := b.integer(x)
		b.emit(func(f unsafe.Pointer) {
			n := read(f)
			if n < 0 || n > 0x10FFFF {
				n = 0xFFFD
			}
			*slot.At[string](f, d) = string(rune(n))
		})
	case dk == reflect.String && sk == reflect.Slice:
		if layout.Unwrapped(src).Elem().Size() == 1 {
			b.emit(func(f unsafe.Pointer) { *slot.At[string](f, d) = string(*slot.At[[]byte](f, s)) })
		} else {
			b.emit(func(f unsafe.Pointer) { *slot.At[string](f, d) = string(*slot.At[[]rune](f, s)) })
		}
	case dk == reflect.Slice && sk == reflect.String:
		if layout.Unwrapped(dst).Elem().Size() == 1 {
			b.emit(func(f unsafe.Pointer) { *slot.At[[]byte](f, d) = []byte(*slot.At[string](f, s)) })
		} else {
			b.emit(func(f unsafe.Pointer) { *slot.At[[]rune](f, d) = []rune(*slot.At[string](f, s)) })
		}
	case dk == reflect.Array && sk == reflect.Slice:
		b.emitSliceToArray(to, x)
	default: // the same layout: between unsafe.Pointer, pointers and uintptr, or equal underlying types
		b.emit(slot.Copy(dst, d, s))
	}
}

func (b *body) emitSliceToArrayPointer(i *ssa.SliceToArrayPointer) {
	array := pointee(i.Type()).Underlying().(*types.Array)
	x, d, n, pos := b.operand(i.X), b.slot(i), int(array.Len()), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		s := slot.At[slot.Slice](f, x)
		if s.Length < n {
			fault.ShortSlice(f, pos, s.Length, n)
		}
		*slot.At[unsafe.Pointer](f, d) = s.Data
	})
}

func (b *body) emitSliceToArray(to, x ssa.Value) {
	rt := b.Types.Of(to.Type())
	d, s, n, pos := b.slot(to), b.operand(x), layout.Unwrapped(rt).Len(), to.Pos()
	move := slot.MoverOf(rt)
	b.emit(func(f unsafe.Pointer) {
		h := slot.At[slot.Slice](f, s)
		if h.Length < n {
			fault.ShortSlice(f, pos, h.Length, n)
		}
		move(unsafe.Add(f, d), h.Data)
	})
}
