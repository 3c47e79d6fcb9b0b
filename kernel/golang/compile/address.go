package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) emitAlloc(i *ssa.Alloc) {
	rt := b.Types.Of(pointee(i.Type()))
	if l, ok := b.local[i]; ok {
		clear := slot.ClearerOf(rt)
		b.emit(zeroStep(rt, l.offset, clear))
		if b.needsPointer(i) {
			d := b.slot(i)
			b.emit(func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = unsafe.Add(f, l.offset) })
		}
		return
	}
	d := b.slot(i)
	if pos := i.Pos(); i.Comment == "makeslice" && rt.Size() > maxMemory {
		b.emit(func(f unsafe.Pointer) { fault.Fail(f, pos, "runtime error: makeslice: len out of range") })
		return
	}
	if pos, bytes := i.Pos(), rt.Size(); bytes >= fault.LargeMemory {
		b.emit(func(f unsafe.Pointer) { fault.Memory(f, pos, bytes) })
	}
	switch slot.ClassOf(rt) {
	case slot.Class64:
		b.emit(func(f unsafe.Pointer) { *slot.At[*uint64](f, d) = new(uint64) })
	case slot.ClassPointer:
		b.emit(func(f unsafe.Pointer) { *slot.At[*unsafe.Pointer](f, d) = new(unsafe.Pointer) })
	case slot.ClassString:
		b.emit(func(f unsafe.Pointer) { *slot.At[*string](f, d) = new(string) })
	default:
		b.emit(func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = reflect.New(rt).UnsafePointer() })
	}
}

// maxMemory is the max number of bytes that Go's runtime allocates at once.
const maxMemory = 1 << 47

func zeroStep(rt reflect.Type, offset uintptr, clear func(unsafe.Pointer)) run.Instr {
	switch slot.ClassOf(rt) {
	case slot.Class64:
		return func(f unsafe.Pointer) { *slot.At[uint64](f, offset) = 0 }
	case slot.ClassPointer:
		return func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, offset) = nil }
	}
	return func(f unsafe.Pointer) { clear(unsafe.Add(f, offset)) }
}

// placeOf resolves an address.
func (b *body) placeOf(v ssa.Value) place {
	if l, ok := b.local[v]; ok {
		return l
	}
	if p := b.memory(v); p != nil {
		return place{memory: p}
	}
	if b.fused[v] {
		switch i := v.(type) {
		case *ssa.FieldAddr:
			offset, _ := fieldAt(b.Types.Of(pointee(i.X.Type())), i.Field)
			p := b.placeOf(i.X)
			if p.index == nil {
				p.offset += offset
				return p
			}
			return place{slot: b.operand(i.X), offset: offset}
		case *ssa.IndexAddr:
			return place{index: i}
		}
	}
	return place{slot: b.operand(v)}
}

// emitAddress emits an address that is used as a value.
func (b *body) emitAddress(v ssa.Value) {
	if b.memory(v) != nil { // a constant of the frame, if it is read at all
		return
	}
	d, pos := b.slot(v), v.Pos()
	switch i := v.(type) {
	case *ssa.FieldAddr:
		offset, _ := fieldAt(b.Types.Of(pointee(i.X.Type())), i.Field)
		p := b.placeOf(i.X)
		if l, ok := b.local[v]; ok {
			b.emit(func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = unsafe.Add(f, l.offset) })
			return
		}
		if p.index != nil {
			p = place{slot: b.operand(i.X)}
		}
		if p.inFrame {
			b.emit(func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = unsafe.Add(f, p.offset+offset) })
			return
		}
		b.emit(func(f unsafe.Pointer) {
			base := *slot.At[unsafe.Pointer](f, p.slot)
			if base == nil {
				fault.NilPointer(f, pos)
			}
			*slot.At[unsafe.Pointer](f, d) = unsafe.Add(base, p.offset+offset)
		})
	case *ssa.IndexAddr:
		address := b.elementAddress(i)
		b.emit(func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = address(f) })
	}
}

// elementAddress returns a function that checks the index and computes the address of an element.
func (b *body) elementAddress(i *ssa.IndexAddr) func(unsafe.Pointer) unsafe.Pointer {
	pos := i.Pos()
	index, unsigned := b.integerAt(i.Index, b.source(i.Index)), unsigned64(i.Index)
	if array, ok := i.X.Type().Underlying().(*types.Pointer); ok {
		at1 := array.Elem().Underlying().(*types.Array)
		size, length := b.Types.Of(at1.Elem()).Size(), int(at1.Len())
		if l, ok := b.local[i.X]; ok {
			return func(f unsafe.Pointer) unsafe.Pointer {
				n := index(f)
				if uint(n) >= uint(length) {
					fault.OutOfRange(f, pos, n, length, unsigned)
				}
				return unsafe.Add(f, l.offset+uintptr(n)*size)
			}
		}
		if base := b.memory(i.X); base != nil {
			return func(f unsafe.Pointer) unsafe.Pointer {
				n := index(f)
				if uint(n) >= uint(length) {
					fault.OutOfRange(f, pos, n, length, unsigned)
				}
				return unsafe.Add(base, uintptr(n)*size)
			}
		}
		x := b.operand(i.X)
		return func(f unsafe.Pointer) unsafe.Pointer {
			base, n := *slot.At[unsafe.Pointer](f, x), index(f)
			if base == nil {
				fault.NilPointer(f, pos)
			}
			if uint(n) >= uint(length) {
				fault.OutOfRange(f, pos, n, length, unsigned)
			}
			return unsafe.Add(base, uintptr(n)*size)
		}
	}
	size := b.Types.Of(i.X.Type().Underlying().(*types.Slice).Elem()).Size()
	from := b.source(i.X)
	if from.Memory != nil {
		s := (*slot.Slice)(from.Memory)
		return func(f unsafe.Pointer) unsafe.Pointer {
			n := index(f)
			if uint(n) >= uint(s.Length) {
				fault.OutOfRange(f, pos, n, s.Length, unsigned)
			}
			return unsafe.Add(s.Data, uintptr(n)*size)
		}
	}
	x := from.Offset
	if n := b.source(i.Index); isInt(i.Index.Type()) && n.Memory == nil {
		n := n.Offset
		return func(f unsafe.Pointer) unsafe.Pointer {
			s, n := slot.At[slot.Slice](f, x), *slot.At[int](f, n)
			if uint(n) >= uint(s.Length) {
				fault.OutOfRange(f, pos, n, s.Length, unsigned)
			}
			return unsafe.Add(s.Data, uintptr(n)*size)
		}
	}
	return func(f unsafe.Pointer) unsafe.Pointer {
		s, n := slot.At[slot.Slice](f, x), index(f)
		if uint(n) >= uint(s.Length) {
			fault.OutOfRange(f, pos, n, s.Length, unsigned)
		}
		return unsafe.Add(s.Data, uintptr(n)*size)
	}
}
