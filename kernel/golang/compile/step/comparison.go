package step

import (
	"cmp"
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
)

// Test is a condition on a frame.
type Test func(frame unsafe.Pointer) bool

// Compare is a comparison of two values of a kind; nil for kinds that are compared as what interfaces hold.
func Compare(i *ssa.BinOp, kind reflect.Kind, x, y slot.Ref) Test {
	if x.Memory != nil || y.Memory != nil {
		return compareOn(i, kind, x, y)
	}
	return compareIn(i, kind, x.Offset, y.Offset)
}

// compareIn compares values of the frame.
func compareIn(i *ssa.BinOp, kind reflect.Kind, x, y uintptr) Test {
	switch kind {
	case reflect.Int, reflect.Int64:
		if c, ok := i.Y.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
			return compareInt(i.Op, x, int(c.Int64()))
		}
		return order[int](i.Op, x, y)
	case reflect.Int8:
		return order[int8](i.Op, x, y)
	case reflect.Int16:
		return order[int16](i.Op, x, y)
	case reflect.Int32:
		return order[int32](i.Op, x, y)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return order[uint](i.Op, x, y)
	case reflect.Uint8:
		return order[uint8](i.Op, x, y)
	case reflect.Uint16:
		return order[uint16](i.Op, x, y)
	case reflect.Uint32:
		return order[uint32](i.Op, x, y)
	case reflect.Float32:
		return order[float32](i.Op, x, y)
	case reflect.Float64:
		return order[float64](i.Op, x, y)
	case reflect.String:
		return order[string](i.Op, x, y)
	case reflect.Bool:
		return equal[bool](i.Op, x, y)
	case reflect.Complex64:
		return equal[complex64](i.Op, x, y)
	case reflect.Complex128:
		return equal[complex128](i.Op, x, y)
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Map, reflect.Func, reflect.Slice:
		return equal[unsafe.Pointer](i.Op, x, y) // maps, functions and slices are compared with nil only
	}
	return nil
}

func compareInt(op token.Token, x uintptr, n int) Test {
	switch op {
	case token.EQL:
		return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) == n }
	case token.NEQ:
		return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) != n }
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) < n }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) <= n }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) > n }
	}
	return func(f unsafe.Pointer) bool { return *slot.At[int](f, x) >= n }
}

func order[T cmp.Ordered](op token.Token, x, y uintptr) Test {
	switch op {
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) < *slot.At[T](f, y) }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) <= *slot.At[T](f, y) }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) > *slot.At[T](f, y) }
	case token.GEQ:
		return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) >= *slot.At[T](f, y) }
	}
	return equal[T](op, x, y)
}

//go:noinline
func equal[T comparable](op token.Token, x, y uintptr) Test {
	if op == token.EQL {
		return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) == *slot.At[T](f, y) }
	}
	return func(f unsafe.Pointer) bool { return *slot.At[T](f, x) != *slot.At[T](f, y) }
}

// compareOn compares variables of the session.
func compareOn(i *ssa.BinOp, kind reflect.Kind, x, y slot.Ref) Test {
	switch kind {
	case reflect.Int, reflect.Int64:
		return orderOn[int](i.Op, x, y)
	case reflect.Int8:
		return orderOn[int8](i.Op, x, y)
	case reflect.Int16:
		return orderOn[int16](i.Op, x, y)
	case reflect.Int32:
		return orderOn[int32](i.Op, x, y)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return orderOn[uint](i.Op, x, y)
	case reflect.Uint8:
		return orderOn[uint8](i.Op, x, y)
	case reflect.Uint16:
		return orderOn[uint16](i.Op, x, y)
	case reflect.Uint32:
		return orderOn[uint32](i.Op, x, y)
	case reflect.Float32:
		return orderOn[float32](i.Op, x, y)
	case reflect.Float64:
		return orderOn[float64](i.Op, x, y)
	case reflect.String:
		return orderOn[string](i.Op, x, y)
	case reflect.Bool:
		return equalOn[bool](i.Op, x, y)
	}
	panic("step: a comparison of variables " + i.String())
}

func orderOn[T cmp.Ordered](op token.Token, x, y slot.Ref) Test {
	switch op {
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) < *(*T)(y.At(f)) }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) <= *(*T)(y.At(f)) }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) > *(*T)(y.At(f)) }
	case token.GEQ:
		return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) >= *(*T)(y.At(f)) }
	}
	return equalOn[T](op, x, y)
}

func equalOn[T comparable](op token.Token, x, y slot.Ref) Test {
	if op == token.EQL {
		return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) == *(*T)(y.At(f)) }
	}
	return func(f unsafe.Pointer) bool { return *(*T)(x.At(f)) != *(*T)(y.At(f)) }
}
