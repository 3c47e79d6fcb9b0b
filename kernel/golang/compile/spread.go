package compile

import (
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/native"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// maxSpread is the max number of bytes of elements that lie in the frame.
const maxSpread = 512

// placeSpreads finds the lists of elements that calls of append and of functions which print have.
func (b *body) placeSpreads() {
	for _, block := range b.fn.Blocks {
		for _, instr := range block.Instrs {
			if array, ok := instr.(*ssa.Alloc); ok && array.Comment == "varargs" {
				b.placeSpread(array)
			}
		}
	}
}

func (b *body) placeSpread(array *ssa.Alloc) {
	rt := b.Types.Of(pointee(array.Type()))
	if rt.Size() == 0 || rt.Size() > maxSpread {
		return
	}
	var places []*ssa.IndexAddr
	var list *ssa.Slice
	var appends bool
	for _, user := range *array.Referrers() {
		switch u := user.(type) {
		case *ssa.IndexAddr:
			if !isFilledOnce(u) {
				return
			}
			places = append(places, u)
		case *ssa.Slice:
			call := listedFor(u)
			if list != nil || call == nil {
				return
			}
			_, appends = call.Call.Value.(*ssa.Builtin)
			list = u
		default:
			return
		}
		if user.Block() != array.Block() {
			return
		}
	}
	if list == nil || len(places) != rt.Len() {
		return
	}
	offset := b.plan.Add(rt)
	for _, p := range places {
		n, _ := constant.Int64Val(p.Index.(*ssa.Const).Value)
		b.local[p] = place{inFrame: true, offset: offset + uintptr(n)*rt.Elem().Size()}
		b.fused[p] = true
	}
	b.fused[array], b.fused[list] = true, appends
	b.spreads[list] = spread{offset, rt.Len()}
}

// isFilledOnce reports whether the only use of an element is that one value is stored there.
func isFilledOnce(i *ssa.IndexAddr) bool {
	if _, ok := i.Index.(*ssa.Const); !ok || len(*i.Referrers()) != 1 {
		return false
	}
	store, ok := (*i.Referrers())[0].(*ssa.Store)
	return ok && store.Addr == ssa.Value(i) && store.Block() == i.Block()
}

// listedFor returns the call that is the only use of a list, and does not keep it; nil for other uses.
func listedFor(list *ssa.Slice) *ssa.Call {
	if len(*list.Referrers()) != 1 || list.Low != nil || list.High != nil || list.Max != nil {
		return nil
	}
	call, ok := (*list.Referrers())[0].(*ssa.Call)
	if !ok || call.Block() != list.Block() {
		return nil
	}
	switch f := call.Call.Value.(type) {
	case *ssa.Builtin:
		if f.Name() == "append" && call.Call.Args[1] == ssa.Value(list) {
			return call
		}
	case *ssa.Function:
		if native.Prints(f.String()) {
			return call
		}
	}
	return nil
}

// listStep makes the list itself.
func listStep(list spread, d uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		*slot.At[slot.Slice](f, d) = slot.Slice{Data: unsafe.Add(f, list.offset), Length: list.n, Capacity: list.n}
	}
}

// appendSpreadStep appends the elements of a list to a slice of type rt.
func appendSpreadStep(rt reflect.Type, x uintptr, list spread, d uintptr, pos token.Pos) run.Instr {
	switch slot.ClassOf(rt.Elem()) {
	case slot.Class8:
		return appendSpreadOf[uint8](x, list, d)
	case slot.Class32:
		return appendSpreadOf[uint32](x, list, d)
	case slot.Class64:
		return appendSpreadOf[uint64](x, list, d)
	case slot.ClassPointer:
		return appendSpreadOf[unsafe.Pointer](x, list, d)
	case slot.ClassString:
		return appendSpreadOf[string](x, list, d)
	case slot.ClassSlice:
		return appendSpreadOf[[]byte](x, list, d)
	}
	move, size := slot.MoverOf(rt.Elem()), rt.Elem().Size()
	return func(f unsafe.Pointer) {
		s := *slot.At[slot.Slice](f, x)
		if s.Length+list.n <= s.Capacity && s.Length+list.n >= 0 {
			for i := range list.n {
				move(unsafe.Add(s.Data, uintptr(s.Length+i)*size), unsafe.Add(f, list.offset+uintptr(i)*size))
			}
			s.Length += list.n
			*slot.At[slot.Slice](f, d) = s
			return
		}
		if s.Length+list.n < 0 {
			fault.Fail(f, pos, "runtime error: growslice: len out of range")
		}
		more := reflect.SliceAt(rt.Elem(), unsafe.Add(f, list.offset), list.n).Convert(rt)
		old := reflect.NewAt(rt, unsafe.Add(f, x)).Elem()
		reflect.NewAt(rt, unsafe.Add(f, d)).Elem().Set(reflect.AppendSlice(old, more))
	}
}

//go:noinline
func appendSpreadOf[T any](x uintptr, list spread, d uintptr) run.Instr {
	from, n := list.offset, list.n
	if n == 1 {
		return func(f unsafe.Pointer) { *slot.At[[]T](f, d) = append(*slot.At[[]T](f, x), *slot.At[T](f, from)) }
	}
	return func(f unsafe.Pointer) {
		*slot.At[[]T](f, d) = append(*slot.At[[]T](f, x), unsafe.Slice(slot.At[T](f, from), n)...)
	}
}
