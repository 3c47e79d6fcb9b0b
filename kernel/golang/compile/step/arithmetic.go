// Package step has the steps of operators on numbers, strings and booleans, by the kinds of their operands.
package step

import (
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Binary is an operation on numbers or strings whose result is of a kind; count is the kind of its right operand.
func Binary(i *ssa.BinOp, kind, count reflect.Kind, d, x, y slot.Ref) run.Instr {
	switch {
	case i.Op == token.SHL || i.Op == token.SHR:
		return shift(i, kind, count, d, x, y)
	case d.Memory != nil || x.Memory != nil || y.Memory != nil:
		return operateOn(i, kind, d, x, y)
	}
	return operate(i, kind, d.Offset, x.Offset, y.Offset)
}

// operate is an operation inside the frame.
func operate(i *ssa.BinOp, kind reflect.Kind, d, x, y uintptr) run.Instr {
	pos := i.Pos()
	switch kind {
	case reflect.Int:
		return intStep(i, d, x, y, pos)
	case reflect.Int8:
		return intOp[int8](i.Op, d, x, y, pos)
	case reflect.Int16:
		return intOp[int16](i.Op, d, x, y, pos)
	case reflect.Int32:
		return intOp[int32](i.Op, d, x, y, pos)
	case reflect.Int64:
		return intOp[int64](i.Op, d, x, y, pos)
	case reflect.Uint, reflect.Uintptr:
		return intOp[uint](i.Op, d, x, y, pos)
	case reflect.Uint8:
		return intOp[uint8](i.Op, d, x, y, pos)
	case reflect.Uint16:
		return intOp[uint16](i.Op, d, x, y, pos)
	case reflect.Uint32:
		return intOp[uint32](i.Op, d, x, y, pos)
	case reflect.Uint64:
		return intOp[uint64](i.Op, d, x, y, pos)
	case reflect.Float32:
		return floatOp[float32](i.Op, d, x, y)
	case reflect.Float64:
		return floatOp[float64](i.Op, d, x, y)
	case reflect.Complex64:
		return complexOp[complex64](i.Op, d, x, y)
	case reflect.Complex128:
		return complexOp[complex128](i.Op, d, x, y)
	case reflect.String:
		return func(f unsafe.Pointer) { *slot.At[string](f, d) = *slot.At[string](f, x) + *slot.At[string](f, y) }
	}
	panic("step: an operation " + i.String())
}

// intStep has the most common operations with a constant.
func intStep(i *ssa.BinOp, d, x, y uintptr, pos token.Pos) run.Instr {
	c, ok := i.Y.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return intOp[int](i.Op, d, x, y, pos)
	}
	n := int(c.Int64())
	switch {
	case i.Op == token.ADD && d == x:
		return func(f unsafe.Pointer) { *slot.At[int](f, x) += n }
	case i.Op == token.ADD:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) + n }
	case i.Op == token.SUB:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) - n }
	case i.Op == token.MUL:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) * n }
	case i.Op == token.REM && n == 2:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) % 2 }
	case i.Op == token.REM && n != 0:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) % n }
	case i.Op == token.AND:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = *slot.At[int](f, x) & n }
	}
	return intOp[int](i.Op, d, x, y, pos)
}

func intOp[T integer](op token.Token, d, x, y uintptr, pos token.Pos) run.Instr {
	switch op {
	case token.ADD:
		if d == x {
			return func(f unsafe.Pointer) { *slot.At[T](f, d) += *slot.At[T](f, y) }
		}
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) + *slot.At[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) - *slot.At[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) * *slot.At[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) {
			n := *slot.At[T](f, y)
			if n == 0 {
				fault.DivideByZero(f, pos)
			}
			*slot.At[T](f, d) = *slot.At[T](f, x) / n
		}
	case token.REM:
		return func(f unsafe.Pointer) {
			n := *slot.At[T](f, y)
			if n == 0 {
				fault.DivideByZero(f, pos)
			}
			*slot.At[T](f, d) = *slot.At[T](f, x) % n
		}
	case token.AND:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) & *slot.At[T](f, y) }
	case token.OR:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) | *slot.At[T](f, y) }
	case token.XOR:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) ^ *slot.At[T](f, y) }
	case token.AND_NOT:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) &^ *slot.At[T](f, y) }
	}
	panic("step: an operation " + op.String())
}

func floatOp[T float](op token.Token, d, x, y uintptr) run.Instr {
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) + *slot.At[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) - *slot.At[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) * *slot.At[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) / *slot.At[T](f, y) }
	}
	panic("step: an operation " + op.String())
}

func complexOp[T complex64 | complex128](op token.Token, d, x, y uintptr) run.Instr {
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) + *slot.At[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) - *slot.At[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) * *slot.At[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *slot.At[T](f, x) / *slot.At[T](f, y) }
	}
	panic("step: an operation " + op.String())
}

// Unary is an operation on one value of a kind.
func Unary(i *ssa.UnOp, kind reflect.Kind, d, x uintptr) run.Instr {
	if i.Op == token.NOT {
		return func(f unsafe.Pointer) { *slot.At[bool](f, d) = !*slot.At[bool](f, x) }
	}
	switch kind {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return unaryOp[int64](i.Op, d, x)
	case reflect.Int8, reflect.Uint8:
		return unaryOp[int8](i.Op, d, x)
	case reflect.Int16, reflect.Uint16:
		return unaryOp[int16](i.Op, d, x)
	case reflect.Int32, reflect.Uint32:
		return unaryOp[int32](i.Op, d, x)
	case reflect.Float32:
		return func(f unsafe.Pointer) { *slot.At[float32](f, d) = -*slot.At[float32](f, x) }
	case reflect.Float64:
		return func(f unsafe.Pointer) { *slot.At[float64](f, d) = -*slot.At[float64](f, x) }
	case reflect.Complex64:
		return func(f unsafe.Pointer) { *slot.At[complex64](f, d) = -*slot.At[complex64](f, x) }
	case reflect.Complex128:
		return func(f unsafe.Pointer) { *slot.At[complex128](f, d) = -*slot.At[complex128](f, x) }
	}
	panic("step: an operation " + i.String())
}

//go:noinline
func unaryOp[T int8 | int16 | int32 | int64](op token.Token, d, x uintptr) run.Instr {
	if op == token.XOR {
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = ^*slot.At[T](f, x) }
	}
	return func(f unsafe.Pointer) { *slot.At[T](f, d) = -*slot.At[T](f, x) }
}
