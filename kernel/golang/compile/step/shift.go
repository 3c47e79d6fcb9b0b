package step

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// shift works for counts of any kind of integers.
func shift(i *ssa.BinOp, kind, by reflect.Kind, d, x, y slot.Ref) run.Instr {
	s := shifter{op: i.Op, d: d, x: x}
	signed := i.Y.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned == 0
	if n, ok := constantOf[uint64](i.Y); ok && (!signed || int64(n) >= 0) { // a variable may be a constant here too
		s.isConstant, s.by = true, uint(min(n, 64))
	} else {
		s.count = shiftCount(i, by, y)
	}
	switch kind {
	case reflect.Int:
		return shiftOp[int](s)
	case reflect.Int8:
		return shiftOp[int8](s)
	case reflect.Int16:
		return shiftOp[int16](s)
	case reflect.Int32:
		return shiftOp[int32](s)
	case reflect.Int64:
		return shiftOp[int64](s)
	case reflect.Uint, reflect.Uintptr:
		return shiftOp[uint](s)
	case reflect.Uint8:
		return shiftOp[uint8](s)
	case reflect.Uint16:
		return shiftOp[uint16](s)
	case reflect.Uint32:
		return shiftOp[uint32](s)
	case reflect.Uint64:
		return shiftOp[uint64](s)
	}
	panic("step: a shift of kind " + kind.String())
}

// shiftCount reads how far to shift, 64 for more.
func shiftCount(i *ssa.BinOp, kind reflect.Kind, y slot.Ref) func(unsafe.Pointer) uint {
	pos := i.Pos()
	signed := i.Y.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned == 0
	switch kind {
	case reflect.Int, reflect.Int64:
		return func(f unsafe.Pointer) uint {
			n := *(*int)(y.At(f))
			if n < 0 {
				fault.NegativeShift(f, pos)
			}
			return uint(n)
		}
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f unsafe.Pointer) uint { return *(*uint)(y.At(f)) }
	}
	count := slot.Integer(kind, y)
	return func(f unsafe.Pointer) uint {
		n := count(f)
		if n < 0 && signed {
			fault.NegativeShift(f, pos)
		}
		return uint(n)
	}
}

// shifter does a shift.
type shifter struct {
	op         token.Token
	d, x       slot.Ref
	isConstant bool
	by         uint
	count      func(unsafe.Pointer) uint
}

func shiftOp[T integer](s shifter) run.Instr {
	d, x, n, count := s.d, s.x, s.by, s.count
	inFrame := d.Memory == nil && x.Memory == nil
	switch isLeft := s.op == token.SHL; {
	case s.isConstant && inFrame && isLeft:
		return func(f unsafe.Pointer) { *slot.At[T](f, d.Offset) = *slot.At[T](f, x.Offset) << n }
	case s.isConstant && inFrame:
		return func(f unsafe.Pointer) { *slot.At[T](f, d.Offset) = *slot.At[T](f, x.Offset) >> n }
	case s.isConstant && isLeft:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) << n }
	case s.isConstant:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) >> n }
	case isLeft:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) << count(f) }
	}
	return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) >> count(f) }
}
