package compile

import (
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type float interface{ float32 | float64 }

func (b *body) binary(i *ssa.BinOp) {
	switch i.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		test := b.comparison(i)
		d := b.slot(i)
		b.emit(func(f unsafe.Pointer) { *at[bool](f, d) = test(f) })
		return
	}
	b.operate(i, ref{offset: b.slot(i)})
}

// operate emits an operation whose result goes to a place.
func (b *body) operate(i *ssa.BinOp, to ref) {
	left, right := b.source(i.X), b.source(i.Y)
	if i.Op == token.SHL || i.Op == token.SHR {
		b.shift(i, to, left, right)
		return
	}
	if to.memory != nil || left.memory != nil || right.memory != nil {
		b.operateOn(i, to, left, right)
		return
	}
	x, y, d, pos := left.offset, right.offset, to.offset, i.Pos()
	switch under(b.Types.Of(i.Type())).Kind() {
	case reflect.Int:
		b.emit(b.intStep(i, d, x, y, pos))
	case reflect.Int8:
		b.emit(intOp[int8](i.Op, d, x, y, pos))
	case reflect.Int16:
		b.emit(intOp[int16](i.Op, d, x, y, pos))
	case reflect.Int32:
		b.emit(intOp[int32](i.Op, d, x, y, pos))
	case reflect.Int64:
		b.emit(intOp[int64](i.Op, d, x, y, pos))
	case reflect.Uint, reflect.Uintptr:
		b.emit(intOp[uint](i.Op, d, x, y, pos))
	case reflect.Uint8:
		b.emit(intOp[uint8](i.Op, d, x, y, pos))
	case reflect.Uint16:
		b.emit(intOp[uint16](i.Op, d, x, y, pos))
	case reflect.Uint32:
		b.emit(intOp[uint32](i.Op, d, x, y, pos))
	case reflect.Uint64:
		b.emit(intOp[uint64](i.Op, d, x, y, pos))
	case reflect.Float32:
		b.emit(floatOp[float32](i.Op, d, x, y))
	case reflect.Float64:
		b.emit(floatOp[float64](i.Op, d, x, y))
	case reflect.Complex64:
		b.emit(complexOp[complex64](i.Op, d, x, y))
	case reflect.Complex128:
		b.emit(complexOp[complex128](i.Op, d, x, y))
	case reflect.String:
		b.emit(func(f unsafe.Pointer) { *at[string](f, d) = *at[string](f, x) + *at[string](f, y) })
	default:
		panic("compile: an operation " + i.String())
	}
}

// intStep has the commonest operations with a constant at hand.
func (b *body) intStep(i *ssa.BinOp, d, x, y uintptr, pos token.Pos) run.Instr {
	c, ok := i.Y.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return intOp[int](i.Op, d, x, y, pos)
	}
	n := int(c.Int64())
	switch {
	case i.Op == token.ADD && d == x:
		return func(f unsafe.Pointer) { *at[int](f, x) += n }
	case i.Op == token.ADD:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) + n }
	case i.Op == token.SUB:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) - n }
	case i.Op == token.MUL:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) * n }
	case i.Op == token.REM && n == 2:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) % 2 }
	case i.Op == token.REM && n != 0:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) % n }
	case i.Op == token.AND:
		return func(f unsafe.Pointer) { *at[int](f, d) = *at[int](f, x) & n }
	}
	return intOp[int](i.Op, d, x, y, pos)
}

func intOp[T integer](op token.Token, d, x, y uintptr, pos token.Pos) run.Instr {
	switch op {
	case token.ADD:
		if d == x {
			return func(f unsafe.Pointer) { *at[T](f, d) += *at[T](f, y) }
		}
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) + *at[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) - *at[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) * *at[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) {
			n := *at[T](f, y)
			if n == 0 {
				divideByZero(f, pos)
			}
			*at[T](f, d) = *at[T](f, x) / n
		}
	case token.REM:
		return func(f unsafe.Pointer) {
			n := *at[T](f, y)
			if n == 0 {
				divideByZero(f, pos)
			}
			*at[T](f, d) = *at[T](f, x) % n
		}
	case token.AND:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) & *at[T](f, y) }
	case token.OR:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) | *at[T](f, y) }
	case token.XOR:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) ^ *at[T](f, y) }
	case token.AND_NOT:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) &^ *at[T](f, y) }
	}
	panic("compile: an operation " + op.String())
}

func floatOp[T float](op token.Token, d, x, y uintptr) run.Instr {
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) + *at[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) - *at[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) * *at[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) / *at[T](f, y) }
	}
	panic("compile: an operation " + op.String())
}

func complexOp[T complex64 | complex128](op token.Token, d, x, y uintptr) run.Instr {
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) + *at[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) - *at[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) * *at[T](f, y) }
	case token.QUO:
		return func(f unsafe.Pointer) { *at[T](f, d) = *at[T](f, x) / *at[T](f, y) }
	}
	panic("compile: an operation " + op.String())
}

func (b *body) unary(i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		b.load(i)
		return
	case token.ARROW:
		b.receive(i)
		return
	}
	x, d := b.operand(i.X), b.slot(i)
	if i.Op == token.NOT {
		b.emit(func(f unsafe.Pointer) { *at[bool](f, d) = !*at[bool](f, x) })
		return
	}
	switch under(b.Types.Of(i.Type())).Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		b.emit(unaryOp[int64](i.Op, d, x))
	case reflect.Int8, reflect.Uint8:
		b.emit(unaryOp[int8](i.Op, d, x))
	case reflect.Int16, reflect.Uint16:
		b.emit(unaryOp[int16](i.Op, d, x))
	case reflect.Int32, reflect.Uint32:
		b.emit(unaryOp[int32](i.Op, d, x))
	case reflect.Float32:
		b.emit(func(f unsafe.Pointer) { *at[float32](f, d) = -*at[float32](f, x) })
	case reflect.Float64:
		b.emit(func(f unsafe.Pointer) { *at[float64](f, d) = -*at[float64](f, x) })
	case reflect.Complex64:
		b.emit(func(f unsafe.Pointer) { *at[complex64](f, d) = -*at[complex64](f, x) })
	case reflect.Complex128:
		b.emit(func(f unsafe.Pointer) { *at[complex128](f, d) = -*at[complex128](f, x) })
	default:
		panic("compile: an operation " + i.String())
	}
}

func unaryOp[T int8 | int16 | int32 | int64](op token.Token, d, x uintptr) run.Instr {
	if op == token.XOR {
		return func(f unsafe.Pointer) { *at[T](f, d) = ^*at[T](f, x) }
	}
	return func(f unsafe.Pointer) { *at[T](f, d) = -*at[T](f, x) }
}
