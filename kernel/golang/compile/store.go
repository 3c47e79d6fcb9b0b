package compile

import (
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) store(i *ssa.Store) {
	if inBlank(i.Addr) {
		return
	}
	if op, ok := i.Val.(*ssa.BinOp); ok && b.fused[op] {
		b.operate(op, ref{memory: b.memory(i.Addr)})
		return
	}
	rt := b.Types.Of(i.Val.Type())
	x, pos := b.operand(i.Val), i.Pos()
	p := b.placeOf(i.Addr)
	if p.frame {
		b.emit(copyStep(rt, p.offset, x))
		return
	}
	var base func(unsafe.Pointer) unsafe.Pointer
	if p.index != nil {
		base = b.element(p.index)
	}
	switch classOf(rt) {
	case classZero:
		b.emit(storeWith(p, base, x, pos, func(to, from unsafe.Pointer) {}))
	case class8:
		b.emit(storeTo[uint8](p, base, x, pos))
	case class32:
		b.emit(storeTo[uint32](p, base, x, pos))
	case class64:
		b.emit(storeTo[uint64](p, base, x, pos))
	case classPointer:
		b.emit(storeTo[unsafe.Pointer](p, base, x, pos))
	case classString:
		b.emit(storeTo[string](p, base, x, pos))
	case classSlice:
		b.emit(storeTo[[]byte](p, base, x, pos))
	case classInterface:
		b.emit(storeTo[[2]unsafe.Pointer](p, base, x, pos))
	default:
		b.emit(storeWith(p, base, x, pos, moverOf(rt)))
	}
}

// inBlank tells whether an address lies in a blank field. A literal gives one a value, which Go drops.
func inBlank(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return pointee(v.X.Type()).Underlying().(*types.Struct).Field(v.Field).Name() == "_" || inBlank(v.X)
	case *ssa.IndexAddr:
		return inBlank(v.X)
	}
	return false
}

func storeTo[T any](p place, base func(unsafe.Pointer) unsafe.Pointer, x uintptr, pos token.Pos) run.Instr {
	if p.memory != nil {
		to := (*T)(p.memory)
		return func(f unsafe.Pointer) { *to = *at[T](f, x) }
	}
	if base != nil {
		return func(f unsafe.Pointer) { *(*T)(base(f)) = *at[T](f, x) }
	}
	if p.offset >= 4096 {
		return storeWith(p, nil, x, pos, move[T])
	}
	return func(f unsafe.Pointer) {
		base := *at[unsafe.Pointer](f, p.slot)
		if base == nil {
			nilPointer(f, pos)
		}
		*(*T)(unsafe.Add(base, p.offset)) = *at[T](f, x)
	}
}

func storeWith(p place, base func(unsafe.Pointer) unsafe.Pointer, x uintptr, pos token.Pos, copyIt mover) run.Instr {
	if p.memory != nil {
		return func(f unsafe.Pointer) { copyIt(p.memory, unsafe.Add(f, x)) }
	}
	if base != nil {
		return func(f unsafe.Pointer) { copyIt(base(f), unsafe.Add(f, x)) }
	}
	return func(f unsafe.Pointer) {
		base := *at[unsafe.Pointer](f, p.slot)
		if base == nil {
			nilPointer(f, pos)
		}
		copyIt(unsafe.Add(base, p.offset), unsafe.Add(f, x))
	}
}

// load reads what an address leads to.
func (b *body) load(i *ssa.UnOp) {
	rt := b.Types.Of(i.Type())
	d, pos := b.slot(i), i.Pos()
	p := b.placeOf(i.X)
	if p.frame {
		b.emit(copyStep(rt, d, p.offset))
		return
	}
	var base func(unsafe.Pointer) unsafe.Pointer
	if p.index != nil {
		base = b.element(p.index)
	}
	switch classOf(rt) {
	case class8:
		b.emit(loadFrom[uint8](p, base, d, pos))
	case class32:
		b.emit(loadFrom[uint32](p, base, d, pos))
	case class64:
		b.emit(loadFrom[uint64](p, base, d, pos))
	case classPointer:
		b.emit(loadFrom[unsafe.Pointer](p, base, d, pos))
	case classString:
		b.emit(loadFrom[string](p, base, d, pos))
	case classSlice:
		b.emit(loadFrom[[]byte](p, base, d, pos))
	case classInterface:
		b.emit(loadFrom[[2]unsafe.Pointer](p, base, d, pos))
	default:
		copyIt := moverOf(rt)
		if p.memory != nil {
			b.emit(func(f unsafe.Pointer) { copyIt(unsafe.Add(f, d), p.memory) })
			return
		}
		if base != nil {
			b.emit(func(f unsafe.Pointer) { copyIt(unsafe.Add(f, d), base(f)) })
			return
		}
		b.emit(func(f unsafe.Pointer) {
			base := *at[unsafe.Pointer](f, p.slot)
			if base == nil {
				nilPointer(f, pos)
			}
			copyIt(unsafe.Add(f, d), unsafe.Add(base, p.offset))
		})
	}
}

func loadFrom[T any](p place, base func(unsafe.Pointer) unsafe.Pointer, d uintptr, pos token.Pos) run.Instr {
	if p.memory != nil {
		from := (*T)(p.memory)
		return func(f unsafe.Pointer) { *at[T](f, d) = *from }
	}
	if base != nil {
		return func(f unsafe.Pointer) { *at[T](f, d) = *(*T)(base(f)) }
	}
	return func(f unsafe.Pointer) {
		base := *at[unsafe.Pointer](f, p.slot)
		if base == nil {
			nilPointer(f, pos)
		}
		*at[T](f, d) = *(*T)(unsafe.Add(base, p.offset))
	}
}
