package compile

import (
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// operateOn emits an operation that reads or writes variables of the session.
func (b *body) operateOn(i *ssa.BinOp, d, x, y ref) {
	switch under(b.Types.Of(i.Type())).Kind() {
	case reflect.Int:
		b.emit(integerOn[int](i, d, x, y))
	case reflect.Int8:
		b.emit(integerOn[int8](i, d, x, y))
	case reflect.Int16:
		b.emit(integerOn[int16](i, d, x, y))
	case reflect.Int32:
		b.emit(integerOn[int32](i, d, x, y))
	case reflect.Int64:
		b.emit(integerOn[int64](i, d, x, y))
	case reflect.Uint, reflect.Uintptr:
		b.emit(integerOn[uint](i, d, x, y))
	case reflect.Uint8:
		b.emit(integerOn[uint8](i, d, x, y))
	case reflect.Uint16:
		b.emit(integerOn[uint16](i, d, x, y))
	case reflect.Uint32:
		b.emit(integerOn[uint32](i, d, x, y))
	case reflect.Uint64:
		b.emit(integerOn[uint64](i, d, x, y))
	case reflect.Float32:
		b.emit(floatOn[float32](i.Op, d, x, y))
	case reflect.Float64:
		b.emit(floatOn[float64](i.Op, d, x, y))
	default:
		panic("compile: an operation on a variable " + i.String())
	}
}

// constantOf gives a constant operand as it lies in memory.
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

func integerOn[T integer](i *ssa.BinOp, d, x, y ref) run.Instr {
	if d.memory != nil && d.memory == x.memory && y.memory == nil {
		v := (*T)(d.memory)
		if n, ok := constantOf[T](i.Y); ok {
			if step := changeBy(i.Op, v, n); step != nil {
				return step
			}
		}
		if step := change(i.Op, v, y.offset); step != nil {
			return step
		}
	}
	pos := i.Pos()
	switch i.Op {
	case token.ADD:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) + *(*T)(y.at(f)) }
	case token.SUB:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) - *(*T)(y.at(f)) }
	case token.MUL:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) * *(*T)(y.at(f)) }
	case token.QUO:
		return func(f unsafe.Pointer) {
			n := *(*T)(y.at(f))
			if n == 0 {
				divideByZero(f, pos)
			}
			*(*T)(d.at(f)) = *(*T)(x.at(f)) / n
		}
	case token.REM:
		return func(f unsafe.Pointer) {
			n := *(*T)(y.at(f))
			if n == 0 {
				divideByZero(f, pos)
			}
			*(*T)(d.at(f)) = *(*T)(x.at(f)) % n
		}
	case token.AND:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) & *(*T)(y.at(f)) }
	case token.OR:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) | *(*T)(y.at(f)) }
	case token.XOR:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) ^ *(*T)(y.at(f)) }
	case token.AND_NOT:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) &^ *(*T)(y.at(f)) }
	}
	panic("compile: an operation on a variable " + i.String())
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
		return func(f unsafe.Pointer) { *v += *at[T](f, y) }
	case token.SUB:
		return func(f unsafe.Pointer) { *v -= *at[T](f, y) }
	case token.MUL:
		return func(f unsafe.Pointer) { *v *= *at[T](f, y) }
	case token.OR:
		return func(f unsafe.Pointer) { *v |= *at[T](f, y) }
	case token.XOR:
		return func(f unsafe.Pointer) { *v ^= *at[T](f, y) }
	}
	return nil
}

func floatOn[T float](op token.Token, d, x, y ref) run.Instr {
	if d.memory != nil && d.memory == x.memory && y.memory == nil {
		v, y := (*T)(d.memory), y.offset
		switch op {
		case token.ADD:
			return func(f unsafe.Pointer) { *v += *at[T](f, y) }
		case token.SUB:
			return func(f unsafe.Pointer) { *v -= *at[T](f, y) }
		case token.MUL:
			return func(f unsafe.Pointer) { *v *= *at[T](f, y) }
		}
	}
	switch op {
	case token.ADD:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) + *(*T)(y.at(f)) }
	case token.SUB:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) - *(*T)(y.at(f)) }
	case token.MUL:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) * *(*T)(y.at(f)) }
	case token.QUO:
		return func(f unsafe.Pointer) { *(*T)(d.at(f)) = *(*T)(x.at(f)) / *(*T)(y.at(f)) }
	}
	panic("compile: an operation " + op.String())
}
