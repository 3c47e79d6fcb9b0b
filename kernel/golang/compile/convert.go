package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) convert(i *ssa.Convert) { b.convertTo(i, i.X) }

// convertTo emits the conversion of a value to the type of another.
func (b *body) convertTo(to ssa.Value, x ssa.Value) {
	dst, src := b.Types.Of(to.Type()), b.Types.Of(x.Type())
	d, s := b.slot(to), b.operand(x)
	dk, sk := under(dst).Kind(), under(src).Kind()
	switch {
	case numeric(sk) && numeric(dk):
		b.emit(fromNumber(sk, dk, d, s))
	case sk == reflect.Complex64 && dk == reflect.Complex128:
		b.emit(func(f unsafe.Pointer) { *at[complex128](f, d) = complex128(*at[complex64](f, s)) })
	case sk == reflect.Complex128 && dk == reflect.Complex64:
		b.emit(func(f unsafe.Pointer) { *at[complex64](f, d) = complex64(*at[complex128](f, s)) })
	case dk == reflect.String && numeric(sk):
		read := b.integer(x)
		b.emit(func(f unsafe.Pointer) {
			n := read(f)
			if n < 0 || n > 0x10FFFF {
				n = 0xFFFD
			}
			*at[string](f, d) = string(rune(n))
		})
	case dk == reflect.String && sk == reflect.Slice:
		if under(src).Elem().Size() == 1 {
			b.emit(func(f unsafe.Pointer) { *at[string](f, d) = string(*at[[]byte](f, s)) })
		} else {
			b.emit(func(f unsafe.Pointer) { *at[string](f, d) = string(*at[[]rune](f, s)) })
		}
	case dk == reflect.Slice && sk == reflect.String:
		if under(dst).Elem().Size() == 1 {
			b.emit(func(f unsafe.Pointer) { *at[[]byte](f, d) = []byte(*at[string](f, s)) })
		} else {
			b.emit(func(f unsafe.Pointer) { *at[[]rune](f, d) = []rune(*at[string](f, s)) })
		}
	case dk == reflect.Array && sk == reflect.Slice:
		b.sliceToArrayValue(to, x)
	default: // the same layout: between unsafe.Pointer, pointers and uintptr, or equal underlying types
		b.emit(copyStep(dst, d, s))
	}
}

func numeric(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }

func fromNumber(from, to reflect.Kind, d, s uintptr) run.Instr {
	switch from {
	case reflect.Int, reflect.Int64:
		return toNumber[int64](to, d, s)
	case reflect.Int8:
		return toNumber[int8](to, d, s)
	case reflect.Int16:
		return toNumber[int16](to, d, s)
	case reflect.Int32:
		return toNumber[int32](to, d, s)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return toNumber[uint64](to, d, s)
	case reflect.Uint8:
		return toNumber[uint8](to, d, s)
	case reflect.Uint16:
		return toNumber[uint16](to, d, s)
	case reflect.Uint32:
		return toNumber[uint32](to, d, s)
	case reflect.Float32:
		return toNumber[float32](to, d, s)
	}
	return toNumber[float64](to, d, s)
}

func toNumber[S integer | float](to reflect.Kind, d, s uintptr) run.Instr {
	switch to {
	case reflect.Int, reflect.Int64:
		return func(f unsafe.Pointer) { *at[int64](f, d) = int64(*at[S](f, s)) }
	case reflect.Int8:
		return func(f unsafe.Pointer) { *at[int8](f, d) = int8(*at[S](f, s)) }
	case reflect.Int16:
		return func(f unsafe.Pointer) { *at[int16](f, d) = int16(*at[S](f, s)) }
	case reflect.Int32:
		return func(f unsafe.Pointer) { *at[int32](f, d) = int32(*at[S](f, s)) }
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f unsafe.Pointer) { *at[uint64](f, d) = uint64(*at[S](f, s)) }
	case reflect.Uint8:
		return func(f unsafe.Pointer) { *at[uint8](f, d) = uint8(*at[S](f, s)) }
	case reflect.Uint16:
		return func(f unsafe.Pointer) { *at[uint16](f, d) = uint16(*at[S](f, s)) }
	case reflect.Uint32:
		return func(f unsafe.Pointer) { *at[uint32](f, d) = uint32(*at[S](f, s)) }
	case reflect.Float32:
		return func(f unsafe.Pointer) { *at[float32](f, d) = float32(*at[S](f, s)) }
	}
	return func(f unsafe.Pointer) { *at[float64](f, d) = float64(*at[S](f, s)) }
}

func (b *body) sliceToArray(i *ssa.SliceToArrayPointer) {
	array := pointee(i.Type()).Underlying().(*types.Array)
	x, d, n, pos := b.operand(i.X), b.slot(i), int(array.Len()), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		s := at[sliceHeader](f, x)
		if s.length < n {
			shortSlice(f, pos, s.length, n)
		}
		*at[unsafe.Pointer](f, d) = s.data
	})
}

func (b *body) sliceToArrayValue(to, x ssa.Value) {
	rt := b.Types.Of(to.Type())
	d, s, n, pos := b.slot(to), b.operand(x), under(rt).Len(), to.Pos()
	move := moverOf(rt)
	b.emit(func(f unsafe.Pointer) {
		h := at[sliceHeader](f, s)
		if h.length < n {
			shortSlice(f, pos, h.length, n)
		}
		move(unsafe.Add(f, d), h.data)
	})
}
