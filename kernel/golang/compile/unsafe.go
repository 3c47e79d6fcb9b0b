package compile

import (
	"go/token"
	"math"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// measureType returns the result of unsafe.Sizeof, Alignof or Offsetof for the argument of a call at a position.
func (b *body) measureType(name string, v ssa.Value, pos token.Pos) uintptr {
	switch name {
	case "Sizeof":
		return b.Types.Of(v.Type()).Size()
	case "Alignof":
		return uintptr(b.Types.Of(v.Type()).Align())
	}
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	steps := 1 // with those into embedded fields that the selector leaves out
	if known, ok := b.Selected.Load(pos); ok {
		steps = known.(int)
	}
	var offset uintptr
	for range steps {
		switch i := v.(type) {
		case *ssa.FieldAddr:
			at, _ := fieldAt(b.Types.Of(pointee(i.X.Type())), i.Field)
			offset, v = offset+at, i.X
		case *ssa.Field:
			at, _ := fieldAt(b.Types.Of(i.X.Type()), i.Field)
			offset, v = offset+at, i.X
		}
	}
	return offset
}

// unsafeSpanStep returns a step that makes a slice or string of a pointer and a length.
func (b *body) unsafeSpanStep(name string, args []ssa.Value, x []uintptr, d uintptr, pos token.Pos) run.Instr {
	n := b.integer(args[1])
	size := b.Types.Of(pointee(args[0].Type())).Size()
	check := func(f unsafe.Pointer) (unsafe.Pointer, int) {
		p, n := *slot.At[unsafe.Pointer](f, x[0]), n(f)
		switch {
		case n < 0 || size > 0 && uint64(n) > math.MaxUint64/uint64(size):
			fault.Fail(f, pos, "runtime error: unsafe."+name+": len out of range")
		case p == nil && n > 0:
			fault.Fail(f, pos, "runtime error: unsafe."+name+": ptr is nil and len is not zero")
		case p != nil && uintptr(n)*size > -uintptr(p):
			fault.Fail(f, pos, "runtime error: unsafe."+name+": len out of range")
		}
		return p, n
	}
	if name == "String" {
		return func(f unsafe.Pointer) {
			p, n := check(f)
			*slot.At[string](f, d) = unsafe.String((*byte)(p), n)
		}
	}
	return func(f unsafe.Pointer) {
		p, n := check(f)
		if p == nil {
			n = 0
		}
		*slot.At[slot.Slice](f, d) = slot.Slice{Data: p, Length: n, Capacity: n}
	}
}
