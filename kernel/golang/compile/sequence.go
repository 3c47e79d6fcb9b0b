package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

func (b *body) emitMakeSlice(i *ssa.MakeSlice) {
	rt := b.Types.Plain(i.Type())
	n, c, d, pos := b.integer(i.Len), b.integer(i.Cap), b.slot(i), i.Pos()
	plain := reflect.SliceOf(rt.Elem())
	b.emit(func(f unsafe.Pointer) {
		n, c := n(f), c(f)
		if n < 0 || uint64(n)*uint64(rt.Elem().Size()) > maxMemory || n > maxMemory {
			fault.Fail(f, pos, "runtime error: makeslice: len out of range")
		}
		if c < n || uint64(c)*uint64(rt.Elem().Size()) > maxMemory || c > maxMemory {
			fault.Fail(f, pos, "runtime error: makeslice: cap out of range")
		}
		fault.Memory(f, pos, uintptr(c)*rt.Elem().Size())
		s := reflect.MakeSlice(plain, n, c)
		*slot.At[slot.Slice](f, d) = slot.Slice{Data: s.UnsafePointer(), Length: n, Capacity: c}
	})
}

// emitSlice emits a slice expression of a string, a slice or an array.
func (b *body) emitSlice(i *ssa.Slice) {
	if list, ok := b.spreads[i]; ok {
		b.emit(listStep(list, b.slot(i)))
		return
	}
	x, d, pos := b.operand(i.X), b.slot(i), i.Pos()
	bound := func(v ssa.Value) func(unsafe.Pointer) int {
		if v == nil {
			return nil
		}
		return b.integer(v)
	}
	low, high, max := bound(i.Low), bound(i.High), bound(i.Max)
	limits := &fault.Bounds{
		Low: unsigned64(i.Low), High: unsigned64(i.High), Max: unsigned64(i.Max), Three: i.Max != nil, Limit: "length",
	}
	if alloc, ok := i.X.(*ssa.Alloc); ok {
		limits.Made = alloc.Comment == "makeslice"
	}
	lowOf := func(f unsafe.Pointer) int {
		if low == nil {
			return 0
		}
		return low(f)
	}
	if t, ok := i.X.Type().Underlying().(*types.Basic); ok && t.Info()&types.IsString != 0 {
		b.emit(func(f unsafe.Pointer) {
			s := *slot.At[string](f, x)
			l, h := lowOf(f), len(s)
			if high != nil {
				h = high(f)
			}
			limits.Check(f, pos, l, h, len(s), len(s))
			*slot.At[string](f, d) = s[l:h]
		})
		return
	}
	var header func(unsafe.Pointer) slot.Slice
	rt := b.Types.Plain(i.X.Type())
	if rt.Kind() == reflect.Pointer {
		n := layout.Unwrapped(rt.Elem())
		rt = n
		header = func(f unsafe.Pointer) slot.Slice {
			p := *slot.At[unsafe.Pointer](f, x)
			if p == nil {
				fault.NilPointer(f, pos)
			}
			return slot.Slice{Data: p, Length: n.Len(), Capacity: n.Len()}
		}
	} else {
		limits.Limit = "capacity"
		header = func(f unsafe.Pointer) slot.Slice { return *slot.At[slot.Slice](f, x) }
	}
	size := layout.Unwrapped(rt).Elem().Size()
	b.emit(func(f unsafe.Pointer) {
		s := header(f)
		l, h, m := lowOf(f), s.Length, s.Capacity
		if high != nil {
			h = high(f)
		}
		if max != nil {
			m = max(f)
		}
		limits.Check(f, pos, l, h, m, s.Capacity)
		data := s.Data
		if m > l { // an empty rest must not point behind its memory
			data = unsafe.Add(data, uintptr(l)*size)
		}
		*slot.At[slot.Slice](f, d) = slot.Slice{Data: data, Length: h - l, Capacity: m - l}
	})
}

// emitIndex emits the read of an element of an array that has no address.
func (b *body) emitIndex(i *ssa.Index) {
	x, d, pos := b.operand(i.X), b.slot(i), i.Pos()
	n, unsigned := b.integer(i.Index), unsigned64(i.Index)
	rt := b.Types.Plain(i.X.Type())
	if rt.Kind() == reflect.String {
		b.emit(func(f unsafe.Pointer) {
			s, n := *slot.At[string](f, x), n(f)
			if uint(n) >= uint(len(s)) {
				fault.OutOfRange(f, pos, n, len(s), unsigned)
			}
			*slot.At[byte](f, d) = s[n]
		})
		return
	}
	if rt.Kind() == reflect.Slice {
		size, move := rt.Elem().Size(), slot.MoverOf(rt.Elem())
		b.emit(func(f unsafe.Pointer) {
			s, n := slot.At[slot.Slice](f, x), n(f)
			if uint(n) >= uint(s.Length) {
				fault.OutOfRange(f, pos, n, s.Length, unsigned)
			}
			move(unsafe.Add(f, d), unsafe.Add(s.Data, uintptr(n)*size))
		})
		return
	}
	size, length, move := rt.Elem().Size(), rt.Len(), slot.MoverOf(rt.Elem())
	b.emit(func(f unsafe.Pointer) {
		n := n(f)
		if uint(n) >= uint(length) {
			fault.OutOfRange(f, pos, n, length, unsigned)
		}
		move(unsafe.Add(f, d), unsafe.Add(f, x+uintptr(n)*size))
	})
}
