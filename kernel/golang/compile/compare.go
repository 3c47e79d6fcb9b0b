package compile

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// test is a condition on a frame.
type test func(frame unsafe.Pointer) bool

// fuseCondition leaves a comparison to the branch that is its only user.
func (b *body) fuseCondition(i *ssa.BinOp) {
	switch i.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return
	}
	users := *i.Referrers()
	if len(users) != 1 {
		return
	}
	branch, ok := users[0].(*ssa.If)
	if !ok || branch.Block() != i.Block() {
		return
	}
	instrs := i.Block().Instrs // right before the branch
	b.fused[i] = len(instrs) > 1 && instrs[len(instrs)-2] == ssa.Instruction(i)
}

func (b *body) condition(v ssa.Value) func(unsafe.Pointer) bool {
	if i, ok := v.(*ssa.BinOp); ok && b.fused[v] {
		return b.comparison(i)
	}
	x := b.source(v)
	if x.memory != nil {
		variable := (*bool)(x.memory)
		return func(unsafe.Pointer) bool { return *variable }
	}
	return func(f unsafe.Pointer) bool { return *at[bool](f, x.offset) }
}

func (b *body) comparison(i *ssa.BinOp) test {
	left, right := b.source(i.X), b.source(i.Y)
	if left.memory != nil || right.memory != nil {
		return b.compareOn(i, left, right)
	}
	x, y, pos := left.offset, right.offset, i.Pos()
	rt := b.Types.Of(i.X.Type())
	_, xi := i.X.Type().Underlying().(*types.Interface)
	_, yi := i.Y.Type().Underlying().(*types.Interface)
	if xi || yi {
		return b.compareInterfaces(i, x, y, pos)
	}
	switch under(rt).Kind() {
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
	want, box := i.Op == token.EQL, boxer(rt)
	return func(f unsafe.Pointer) bool {
		site(f, pos)
		return (box(unsafe.Add(f, x)) == box(unsafe.Add(f, y))) == want
	}
}

func compareInt(op token.Token, x uintptr, n int) test {
	switch op {
	case token.EQL:
		return func(f unsafe.Pointer) bool { return *at[int](f, x) == n }
	case token.NEQ:
		return func(f unsafe.Pointer) bool { return *at[int](f, x) != n }
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *at[int](f, x) < n }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *at[int](f, x) <= n }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *at[int](f, x) > n }
	}
	return func(f unsafe.Pointer) bool { return *at[int](f, x) >= n }
}

func order[T cmp.Ordered](op token.Token, x, y uintptr) test {
	switch op {
	case token.LSS:
		return func(f unsafe.Pointer) bool { return *at[T](f, x) < *at[T](f, y) }
	case token.LEQ:
		return func(f unsafe.Pointer) bool { return *at[T](f, x) <= *at[T](f, y) }
	case token.GTR:
		return func(f unsafe.Pointer) bool { return *at[T](f, x) > *at[T](f, y) }
	case token.GEQ:
		return func(f unsafe.Pointer) bool { return *at[T](f, x) >= *at[T](f, y) }
	}
	return equal[T](op, x, y)
}

func equal[T comparable](op token.Token, x, y uintptr) test {
	if op == token.EQL {
		return func(f unsafe.Pointer) bool { return *at[T](f, x) == *at[T](f, y) }
	}
	return func(f unsafe.Pointer) bool { return *at[T](f, x) != *at[T](f, y) }
}

// compareInterfaces compares as Go does. A value without an interface is put into one first.
func (b *body) compareInterfaces(i *ssa.BinOp, x, y uintptr, pos token.Pos) test {
	want := i.Op == token.EQL
	if c, ok := i.Y.(*ssa.Const); ok && c.Value == nil {
		return func(f unsafe.Pointer) bool { return (*at[unsafe.Pointer](f, x) == nil) == want }
	}
	if c, ok := i.X.(*ssa.Const); ok && c.Value == nil {
		return func(f unsafe.Pointer) bool { return (*at[unsafe.Pointer](f, y) == nil) == want }
	}
	left, right := b.asAny(i.X.Type()), b.asAny(i.Y.Type())
	return func(f unsafe.Pointer) bool {
		site(f, pos)
		return (left(unsafe.Add(f, x)) == right(unsafe.Add(f, y))) == want
	}
}

// asAny reads a value of a type as an `any`: interfaces give what they hold.
func (c *Compiler) asAny(t types.Type) func(unsafe.Pointer) any {
	rt := c.Types.Of(t)
	if _, ok := t.Underlying().(*types.Interface); ok {
		if c.Types.Eface(t) {
			return func(p unsafe.Pointer) any { return *(*any)(p) }
		}
		return func(p unsafe.Pointer) any { return c.unwrap(ifaceValue(p)) }
	}
	return boxer(rt)
}
