package compile

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// place is an address: in the frame itself, or behind a pointer that lies in the frame.
type place struct {
	frame  bool    // offset counts from the frame, else from the pointer in slot
	slot   uintptr // the pointer
	offset uintptr
	index  *ssa.IndexAddr // an element whose index is computed
	memory unsafe.Pointer // the address itself, of a variable of the session or of a part of one
}

// placeLocals gives the variables that do not escape a place in the frame.
func (b *body) placeLocals() {
	for _, l := range b.fn.Locals {
		if !l.Heap {
			rt := b.Types.Of(pointee(l.Type()))
			b.local[l] = place{frame: true, offset: b.plan.add(rt)}
		}
	}
}

func (b *body) alloc(i *ssa.Alloc) {
	rt := b.Types.Of(pointee(i.Type()))
	if l, ok := b.local[i]; ok {
		clear := clearer(rt)
		b.emit(zeroStep(rt, l.offset, clear))
		if b.needsPointer(i) {
			d := b.slot(i)
			b.emit(func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = unsafe.Add(f, l.offset) })
		}
		return
	}
	d := b.slot(i)
	if pos := i.Pos(); i.Comment == "makeslice" && rt.Size() > mostMemory {
		b.emit(func(f unsafe.Pointer) { fail(f, pos, "runtime error: makeslice: len out of range") })
		return
	}
	if pos, bytes := i.Pos(), rt.Size(); bytes >= largeMemory {
		b.emit(func(f unsafe.Pointer) { room(f, pos, bytes) })
	}
	switch classOf(rt) {
	case class64:
		b.emit(func(f unsafe.Pointer) { *at[*uint64](f, d) = new(uint64) })
	case classPointer:
		b.emit(func(f unsafe.Pointer) { *at[*unsafe.Pointer](f, d) = new(unsafe.Pointer) })
	case classString:
		b.emit(func(f unsafe.Pointer) { *at[*string](f, d) = new(string) })
	default:
		b.emit(func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = reflect.New(rt).UnsafePointer() })
	}
}

// mostMemory is how many bytes Go's runtime allocates at once at most.
const mostMemory = 1 << 47

func zeroStep(rt reflect.Type, offset uintptr, clear func(unsafe.Pointer)) run.Instr {
	switch classOf(rt) {
	case class64:
		return func(f unsafe.Pointer) { *at[uint64](f, offset) = 0 }
	case classPointer:
		return func(f unsafe.Pointer) { *at[unsafe.Pointer](f, offset) = nil }
	}
	return func(f unsafe.Pointer) { clear(unsafe.Add(f, offset)) }
}

// needsPointer tells whether the address of a local variable is used other than to read, write or step into it.
func (b *body) needsPointer(v ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch u := user.(type) {
		case *ssa.UnOp:
		case *ssa.Store:
			if u.Val == v {
				return true
			}
		case *ssa.FieldAddr:
		case *ssa.IndexAddr:
		case *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// fuse finds addresses that are computed where they are used: by one read or write in the same block.
func (b *body) fuse() {
	for _, block := range b.fn.Blocks {
		for _, instr := range block.Instrs {
			switch i := instr.(type) {
			case *ssa.FieldAddr:
				b.fuseAddress(i, i.X)
			case *ssa.IndexAddr:
				b.fuseAddress(i, i.X)
			case *ssa.BinOp:
				b.fuseCondition(i)
			case *ssa.Call:
				b.fuseMeasured(i)
			}
		}
	}
	b.fuseVariables()
}

func (b *body) fuseAddress(v ssa.Value, base ssa.Value) {
	if f, ok := v.(*ssa.FieldAddr); ok { // a field of a place that is known needs no pointer at all
		if l, ok := b.local[base]; ok {
			offset, _ := fieldAt(b.Types.Of(pointee(f.X.Type())), f.Field)
			l.offset += offset
			b.local[v] = l
			b.fused[v] = !b.needsPointer(v)
			return
		}
	}
	users := *v.Referrers()
	if len(users) != 1 || users[0].Block() != v.(ssa.Instruction).Block() {
		return
	}
	switch u := users[0].(type) {
	case *ssa.UnOp:
		b.fused[v] = u.Op == token.MUL && !b.between(v.(ssa.Instruction), u)
	case *ssa.Store:
		b.fused[v] = u.Addr == v && u.Val != v
	}
}

// between tells whether anything that changes memory or the order of faults stands between an address and its read.
func (b *body) between(from, to ssa.Instruction) bool {
	seen := false
	for _, i := range from.Block().Instrs {
		if i == from {
			seen = true
			continue
		}
		if i == to {
			return false
		}
		if !seen {
			continue
		}
		switch i.(type) {
		case *ssa.Call, *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.RunDefers, *ssa.Go, *ssa.Defer:
			return true
		}
	}
	return true
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

// address computes an address that is used as a value.
func (b *body) address(v ssa.Value) {
	if b.memory(v) != nil { // a constant of the frame, if it is read at all
		return
	}
	d, pos := b.slot(v), v.Pos()
	switch i := v.(type) {
	case *ssa.FieldAddr:
		offset, _ := fieldAt(b.Types.Of(pointee(i.X.Type())), i.Field)
		p := b.placeOf(i.X)
		if l, ok := b.local[v]; ok {
			b.emit(func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = unsafe.Add(f, l.offset) })
			return
		}
		if p.index != nil {
			p = place{slot: b.operand(i.X)}
		}
		if p.frame {
			b.emit(func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = unsafe.Add(f, p.offset+offset) })
			return
		}
		b.emit(func(f unsafe.Pointer) {
			base := *at[unsafe.Pointer](f, p.slot)
			if base == nil {
				nilPointer(f, pos)
			}
			*at[unsafe.Pointer](f, d) = unsafe.Add(base, p.offset+offset)
		})
	case *ssa.IndexAddr:
		address := b.element(i)
		b.emit(func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = address(f) })
	}
}

// element computes the address of an element and checks the index.
func (b *body) element(i *ssa.IndexAddr) func(unsafe.Pointer) unsafe.Pointer {
	pos := i.Pos()
	index, unsigned := b.integerAt(i.Index, b.source(i.Index)), unsigned64(i.Index)
	if array, ok := i.X.Type().Underlying().(*types.Pointer); ok {
		at1 := array.Elem().Underlying().(*types.Array)
		size, length := b.Types.Of(at1.Elem()).Size(), int(at1.Len())
		if l, ok := b.local[i.X]; ok {
			return func(f unsafe.Pointer) unsafe.Pointer {
				n := index(f)
				if uint(n) >= uint(length) {
					outOfRange(f, pos, n, length, unsigned)
				}
				return unsafe.Add(f, l.offset+uintptr(n)*size)
			}
		}
		if base := b.memory(i.X); base != nil {
			return func(f unsafe.Pointer) unsafe.Pointer {
				n := index(f)
				if uint(n) >= uint(length) {
					outOfRange(f, pos, n, length, unsigned)
				}
				return unsafe.Add(base, uintptr(n)*size)
			}
		}
		x := b.operand(i.X)
		return func(f unsafe.Pointer) unsafe.Pointer {
			base, n := *at[unsafe.Pointer](f, x), index(f)
			if base == nil {
				nilPointer(f, pos)
			}
			if uint(n) >= uint(length) {
				outOfRange(f, pos, n, length, unsigned)
			}
			return unsafe.Add(base, uintptr(n)*size)
		}
	}
	size := b.Types.Of(i.X.Type().Underlying().(*types.Slice).Elem()).Size()
	from := b.source(i.X)
	if from.memory != nil {
		s := (*sliceHeader)(from.memory)
		return func(f unsafe.Pointer) unsafe.Pointer {
			n := index(f)
			if uint(n) >= uint(s.length) {
				outOfRange(f, pos, n, s.length, unsigned)
			}
			return unsafe.Add(s.data, uintptr(n)*size)
		}
	}
	x := from.offset
	if n := b.source(i.Index); isInt(i.Index.Type()) && n.memory == nil {
		n := n.offset
		return func(f unsafe.Pointer) unsafe.Pointer {
			s, n := at[sliceHeader](f, x), *at[int](f, n)
			if uint(n) >= uint(s.length) {
				outOfRange(f, pos, n, s.length, unsigned)
			}
			return unsafe.Add(s.data, uintptr(n)*size)
		}
	}
	return func(f unsafe.Pointer) unsafe.Pointer {
		s, n := at[sliceHeader](f, x), index(f)
		if uint(n) >= uint(s.length) {
			outOfRange(f, pos, n, s.length, unsigned)
		}
		return unsafe.Add(s.data, uintptr(n)*size)
	}
}

type sliceHeader struct {
	data             unsafe.Pointer
	length, capacity int
}

func isInt(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && (basic.Kind() == types.Int || basic.Kind() == types.Int64)
}

// integer reads an integer of any type as an int. What does not fit becomes negative, so it fails every check of a
// range.
func (b *body) integer(v ssa.Value) func(unsafe.Pointer) int {
	return b.integerAt(v, ref{offset: b.operand(v)})
}

func (b *body) integerAt(v ssa.Value, x ref) func(unsafe.Pointer) int {
	switch under(b.Types.Of(v.Type())).Kind() {
	case reflect.Int8:
		return readInt[int8](x)
	case reflect.Int16:
		return readInt[int16](x)
	case reflect.Int32:
		return readInt[int32](x)
	case reflect.Uint8:
		return readInt[uint8](x)
	case reflect.Uint16:
		return readInt[uint16](x)
	case reflect.Uint32:
		return readInt[uint32](x)
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return readInt[int](x)
	}
	panic("compile: an index of type " + v.Type().String())
}

func readInt[T int | int8 | int16 | int32 | uint8 | uint16 | uint32](x ref) func(unsafe.Pointer) int {
	if x.memory != nil {
		v := (*T)(x.memory)
		return func(unsafe.Pointer) int { return int(*v) }
	}
	offset := x.offset
	return func(f unsafe.Pointer) int { return int(*at[T](f, offset)) }
}

// plain is the layout of what a type stands for. A type that leads back to itself shows it: inside its own layout that
// place is opaque.
func (c *Compiler) plain(t types.Type) reflect.Type { return under(c.Types.Of(t.Underlying())) }

// under takes the layout of cell types off.
func under(rt reflect.Type) reflect.Type { return layout.Unwrapped(rt) }
