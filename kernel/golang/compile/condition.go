package compile

import (
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
)

func (b *body) condition(v ssa.Value) func(unsafe.Pointer) bool {
	if i, ok := v.(*ssa.BinOp); ok && b.fused[v] {
		return b.comparison(i)
	}
	x := b.source(v)
	if x.Memory != nil {
		variable := (*bool)(x.Memory)
		return func(unsafe.Pointer) bool { return *variable }
	}
	return func(f unsafe.Pointer) bool { return *slot.At[bool](f, x.Offset) }
}

// comparison is a comparison of values of any type.
func (b *body) comparison(i *ssa.BinOp) step.Test {
	left, right := b.source(i.X), b.source(i.Y)
	x, y, pos := left.Offset, right.Offset, i.Pos()
	if types.IsInterface(i.X.Type()) || types.IsInterface(i.Y.Type()) {
		return b.compareInterfaces(i, x, y, pos)
	}
	if known := step.Compare(i, b.kind(i.X), left, right); known != nil {
		return known
	}
	want, box := i.Op == token.EQL, dynamic.BoxerOf(b.Types.Of(i.X.Type()))
	return func(f unsafe.Pointer) bool {
		fault.Site(f, pos)
		return (box(unsafe.Add(f, x)) == box(unsafe.Add(f, y))) == want
	}
}

// compareInterfaces compares as Go does. A value without an interface is put into one first.
func (b *body) compareInterfaces(i *ssa.BinOp, x, y uintptr, pos token.Pos) step.Test {
	want := i.Op == token.EQL
	if c, ok := i.Y.(*ssa.Const); ok && c.Value == nil {
		return func(f unsafe.Pointer) bool { return (*slot.At[unsafe.Pointer](f, x) == nil) == want }
	}
	if c, ok := i.X.(*ssa.Const); ok && c.Value == nil {
		return func(f unsafe.Pointer) bool { return (*slot.At[unsafe.Pointer](f, y) == nil) == want }
	}
	left, right := b.AsAny(i.X.Type()), b.AsAny(i.Y.Type())
	return func(f unsafe.Pointer) bool {
		fault.Site(f, pos)
		return (left(unsafe.Add(f, x)) == right(unsafe.Add(f, y))) == want
	}
}
