package compile

import (
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) emitStore(i *ssa.Store) {
	if isInBlank(i.Addr) {
		return
	}
	if op, ok := i.Val.(*ssa.BinOp); ok && b.fused[op] {
		b.emitOperation(op, slot.Ref{Memory: b.memory(i.Addr)})
		return
	}
	rt := b.Types.Of(i.Val.Type())
	x, pos := b.operand(i.Val), i.Pos()
	p := b.placeOf(i.Addr)
	if p.inFrame {
		b.emit(slot.Copy(rt, p.offset, x))
		return
	}
	var base func(unsafe.Pointer) unsafe.Pointer
	if p.index != nil {
		base = b.elementAddress(p.index)
	}
	switch slot.ClassOf(rt) {
	case slot.ClassZero:
		b.emit(storeWith(p, base, x, pos, func(to, from unsafe.Pointer) {}))
	case slot.Class8:
		b.emit(storeTo[uint8](p, base, x, pos))
	case slot.Class32:
		b.emit(storeTo[uint32](p, base, x, pos))
	case slot.Class64:
		b.emit(storeTo[uint64](p, base, x, pos))
	case slot.ClassPointer:
		b.emit(storeTo[unsafe.Pointer](p, base, x, pos))
	case slot.ClassString:
		b.emit(storeTo[string](p, base, x, pos))
	case slot.ClassSlice:
		b.emit(storeTo[[]byte](p, base, x, pos))
	case slot.ClassInterface:
		b.emit(storeTo[[2]unsafe.Pointer](p, base, x, pos))
	default:
		b.emit(storeWith(p, base, x, pos, slot.MoverOf(rt)))
	}
}

// isInBlank reports whether an address lies in a blank field. A literal may have a value for one, which Go drops.
func isInBlank(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return pointee(v.X.Type()).Underlying().(*types.Struct).Field(v.Field).Name() == "_" || isInBlank(v.X)
	case *ssa.IndexAddr:
		return isInBlank(v.X)
	}
	return false
}

func storeTo[T any](p place, base func(unsafe.Pointer) unsafe.Pointer, x uintptr, pos token.Pos) run.Instr {
	if p.memory != nil {
		to := (*T)(p.memory)
		return func(f unsafe.Pointer) { *to = *slot.At[T](f, x) }
	}
	if base != nil {
		return func(f unsafe.Pointer) { *(*T)(base(f)) = *slot.At[T](f, x) }
	}
	if p.offset >= 4096 {
		return storeWith(p, nil, x, pos, slot.Move[T])
	}
	return func(f unsafe.Pointer) {
		base := *slot.At[unsafe.Pointer](f, p.slot)
		if base == nil {
			fault.NilPointer(f, pos)
		}
		*(*T)(unsafe.Add(base, p.offset)) = *slot.At[T](f, x)
	}
}

//go:noinline
func storeWith(p place, base func(unsafe.Pointer) unsafe.Pointer, x uintptr, pos token.Pos,
	copyIt slot.Mover) run.Instr {
	if p.memory != nil {
		return func(f unsafe.Pointer) { copyIt(p.memory, unsafe.Add(f, x)) }
	}
	if base != nil {
		return func(f unsafe.Pointer) { copyIt(base(f), unsafe.Add(f, x)) }
	}
	return func(f unsafe.Pointer) {
		base := *slot.At[unsafe.Pointer](f, p.slot)
		if base == nil {
			fault.NilPointer(f, pos)
		}
		copyIt(unsafe.Add(base, p.offset), unsafe.Add(f, x))
	}
}

// emitLoad emits the read of what an address leads to.
func (b *body) emitLoad(i *ssa.UnOp) {
	rt := b.Types.Of(i.Type())
	d, pos := b.slot(i), i.Pos()
	p := b.placeOf(i.X)
	if p.inFrame {
		b.emit(slot.Copy(rt, d, p.offset))
		return
	}
	var base func(unsafe.Pointer) unsafe.Pointer
	if p.index != nil {
		base = b.elementAddress(p.index)
	}
	switch slot.ClassOf(rt) {
	case slot.Class8:
		b.emit(loadFrom[uint8](p, base, d, pos))
	case slot.Class32:
		b.emit(loadFrom[uint32](p, base, d, pos))
	case slot.Class64:
		b.emit(loadFrom[uint64](p, base, d, pos))
	case slot.ClassPointer:
		b.emit(loadFrom[unsafe.Pointer](p, base, d, pos))
	case slot.ClassString:
		b.emit(loadFrom[string](p, base, d, pos))
	case slot.ClassSlice:
		b.emit(loadFrom[[]byte](p, base, d, pos))
	case slot.ClassInterface:
		b.emit(loadFrom[[2]unsafe.Pointer](p, base, d, pos))
	default:
		copyIt := slot.MoverOf(rt)
		if p.memory != nil {
			b.emit(func(f unsafe.Pointer) { copyIt(unsafe.Add(f, d), p.memory) })
			return
		}
		if base != nil {
			b.emit(func(f unsafe.Pointer) { copyIt(unsafe.Add(f, d), base(f)) })
			return
		}
		b.emit(func(f unsafe.Pointer) {
			base := *slot.At[unsafe.Pointer](f, p.slot)
			if base == nil {
				fault.NilPointer(f, pos)
			}
			copyIt(unsafe.Add(f, d), unsafe.Add(base, p.offset))
		})
	}
}

//go:noinline
func loadFrom[T any](p place, base func(unsafe.Pointer) unsafe.Pointer, d uintptr, pos token.Pos) run.Instr {
	if p.memory != nil {
		from := (*T)(p.memory)
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *from }
	}
	if base != nil {
		return func(f unsafe.Pointer) { *slot.At[T](f, d) = *(*T)(base(f)) }
	}
	return func(f unsafe.Pointer) {
		base := *slot.At[unsafe.Pointer](f, p.slot)
		if base == nil {
			fault.NilPointer(f, pos)
		}
		*slot.At[T](f, d) = *(*T)(unsafe.Add(base, p.offset))
	}
}
