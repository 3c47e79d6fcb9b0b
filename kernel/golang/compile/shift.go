package compile

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// shift works for counts of any integer type.
func (b *body) shift(i *ssa.BinOp, d, x, y ref) {
	s := shifter{op: i.Op, d: d, x: x}
	signed := i.Y.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned == 0
	if n, ok := constantOf[uint64](i.Y); ok && (!signed || int64(n) >= 0) { // a variable may be a constant here, too
		s.constant, s.by = true, uint(min(n, 64))
	} else {
		s.count = b.shiftCount(i, y)
	}
	switch under(b.Types.Of(i.Type())).Kind() {
	case reflect.Int:
		b.emit(shiftOp[int](s))
	case reflect.Int8:
		b.emit(shiftOp[int8](s))
	case reflect.Int16:
		b.emit(shiftOp[int16](s))
	case reflect.Int32:
		b.emit(shiftOp[int32](s))
	case reflect.Int64:
		b.emit(shiftOp[int64](s))
	case reflect.Uint, reflect.Uintptr:
		b.emit(shiftOp[uint](s))
	case reflect.Uint8:
		b.emit(shiftOp[uint8](s))
	case reflect.Uint16:
		b.emit(shiftOp[uint16](s))
	case reflect.Uint32:
		b.emit(shiftOp[uint32](s))
	case reflect.Uint64:
		b.emit(shiftOp[uint64](s))
	}
}

// shiftCount reads how far to shift, 64 for more.
func (b *body) shiftCount(i *ssa.BinOp, y ref) func(unsafe.Pointer) uint {
	pos := i.Pos()
	signed := i.Y.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned == 0
	switch under(b.Types.Of(i.Y.Type())).Kind() {
	case reflect.Int, reflect.Int64:
		return func(f unsafe.Pointer) uint {
			n := *(*int)(y.at(f))
			if n < 0 {
				negativeShift(f, pos)
			}
			return uint(n)
		}
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f unsafe.Pointer) uint { return *(*uint)(y.at(f)) }
	}
	count := b.integerAt(i.Y, y)
	return func(f unsafe.Pointer) uint {
		n := count(f)
		if n < 0 && signed {
			negativeShift(f, pos)
		}
		return uint(n)
	}
}

// shifter is what a shift does.
type shifter struct {
	op       token.Token
	d, x     ref
	constant bool
	by       uint
	count    func(unsafe.Pointer) uint
}

func shiftOp[T integer](s shifter) run.Instr {
	d, x, n, count := s.d, s.x, s.by, s.count
	frame := d.memory == nil && x.memory == nil
	switch left := s.op == token.SHL; {
	case s.constant && frame && left:
		return func(f unsafe.Pointer) { *at[T](f, d.offset) = *at[T](f, x.offset) << n }
	case s.constant && frame:
		return func(f unsafe.Pointer) { *at[T](f, d.offset) = *at[T](f, x.offset) >> n }
	case s.constant && left:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) << n }
	case s.constant:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) >> n }
	case left:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) << count(f) }
	}
	return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) >> count(f) }
}
