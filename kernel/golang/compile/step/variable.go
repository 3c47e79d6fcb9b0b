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

// operateOn returns an operation that reads or writes variables of the session.
func operateOn(i *ssa.BinOp, kind reflect.Kind, d, x, y slot.Ref) run.Instr {
	switch kind {
	case reflect.Int:
		return integerOn[int](i, d, x, y)
	case reflect.Int8:
		return integerOn[int8](i, d, x, y)
	case reflect.Int16:
		return integerOn[int16](i, d, x, y)
	case reflect.Int32:
		return integerOn[int32](i, d, x, y)
	case reflect.Int64:
		return integerOn[int64](i, d, x, y)
	case reflect.Uint, reflect.Uintptr:
		return integerOn[uint](i, d, x, y)
	case reflect.Uint8:
		return integerOn[uint8](i, d, x, y)
	case reflect.Uint16:
		return integerOn[uint16](i, d, x, y)
	case reflect.Uint32:
		return integerOn[uint32](i, d, x, y)
	case reflect.Uint64:
		return integerOn[uint64](i, d, x, y)
	case reflect.Float32:
		return floatOn[float32](i.Op, d, x, y)
	case reflect.Float64:
		return floatOn[float64](i.Op, d, x, y)
	}
	panic("step: an operation on a variable " + i.String())
}

// constantOf returns a constant operand as it lies in memory.
func constantOf[T integer](v ssa.Value) (n T, ok bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return 0, false
	}
	whole := constant.ToInt(c.Value)
	if whole.Kind() != constant.Int {
		return 0, false
	}
	if n, exact := constant.Int64Val(whole); exact {
		return T(n), true
	}
	u, exact := constant.Uint64Val(whole)
	return T(u), exact
}

func integerOn[T integer](i *ssa.BinOp, d, x, y slot.Ref) run.Instr {
	if d.Memory != nil && d.Memory == x.Memory && y.Memory == nil {
		v := (*T)(d.Memory)
		if n, ok := constantOf[T](i.Y); ok {
			if step := changeBy(i.Op, v, n); step != nil {
				return step
			}
		}
		if step := change(i.Op, v, y.Offset); step != nil {
			return step
		}
	}
	pos := i.Pos()
	switch i.Op {
	case token.ADD:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) + *(*T)(y.At(f)) }
	case token.SUB:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) - *(*T)(y.At(f)) }
	case token.MUL:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) * *(*T)(y.At(f)) }
	case token.QUO:
		return func(f unsafe.Pointer) {
			n := *(*T)(y.At(f))
			if n == 0 {
				fault.DivideByZero(f, pos)
			}
			*(*T)(d.At(f)) = *(*T)(x.At(f)) / n
		}
	case token.REM:
		return func(f unsafe.Pointer) {
			n := *(*T)(y.At(f))
			if n == 0 {
				fault.DivideByZero(f, pos)
			}
			*(*T)(d.At(f)) = *(*T)(x.At(f)) % n
		}
	case token.AND:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) & *(*T)(y.At(f)) }
	case token.OR:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) | *(*T)(y.At(f)) }
	case token.XOR:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) ^ *(*T)(y.At(f)) }
	case token.AND_NOT:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) &^ *(*T)(y.At(f)) }
	}
	panic("step: an operation on a variable " + i.String())
}

// changeBy has the commonest changes of a variable by a constant.
func changeBy[T integer](op token.Token, v *T, n T) run.Instr {
	switch op {
	case token.ADD:
		return func(unsafe.Pointer) { *v += n }
	case token.SUB:
		return func(unsafe.Pointer) { *v -= n }
	case token.MUL:
		return func(unsafe.Pointer) { *v *= n }
	case token.AND:
		return func(unsafe.Pointer) { *v &= n }
	}
	return nil
}

// change has the commonest changes of a variable by a value of the frame.
func change[T integer](op token.Token, v *T, y uintptr) run.Instr {
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *v += *slot.At[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *v -= *slot.At[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *v *= *slot.At[T](f, y) }
	case token.OR:
		return func(f unsafe.Pointer) { *v |= *slot.At[T](f, y) }
	case token.XOR:
		return func(f unsafe.Pointer) { *v ^= *slot.At[T](f, y) }
	}
	return nil
}

func floatOn[T float](op token.Token, d, x, y slot.Ref) run.Instr {
	if d.Memory != nil && d.Memory == x.Memory && y.Memory == nil {
		v, y := (*T)(d.Memory), y.Offset
		switch op {
		case token.ADD:
			return func(f unsafe.Pointer) { *v += *slot.At[T](f, y) }
		case token.SUB:
			return func(f unsafe.Pointer) { *v -= *slot.At[T](f, y) }
		case token.MUL:
			return func(f unsafe.Pointer) { *v *= *slot.At[T](f, y) }
		}
	}
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) + *(*T)(y.At(f)) }
	case token.SUB:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) - *(*T)(y.At(f)) }
	case token.MUL:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) * *(*T)(y.At(f)) }
	case token.QUO:
		return func(f unsafe.Pointer) { *(*T)(d.At(f)) = *(*T)(x.At(f)) / *(*T)(y.At(f)) }
	}
	panic("step: an operation " + op.String())
}
