package compile

import (
	"cmp"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// compareOn compares variables of the session.
func (b *body) compareOn(i *ssa.BinOp, x, y ref) test {
	switch under(b.Types.Of(i.X.Type())).Kind() {
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
	panic("compile: a comparison of variables " + i.String())
}

func orderOn[T cmp.Ordered](op token.Token, x, y ref) test {
	switch op {
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) < *(*T)(y.at(f)) }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) <= *(*T)(y.at(f)) }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) > *(*T)(y.at(f)) }
	case token.GEQ:
		return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) >= *(*T)(y.at(f)) }
	}
	return equalOn[T](op, x, y)
}

func equalOn[T comparable](op token.Token, x, y ref) test {
	if op == token.EQL {
		return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) == *(*T)(y.at(f)) }
	}
	return func(f unsafe.Pointer) bool { return *(*T)(x.at(f)) != *(*T)(y.at(f)) }
}
