package compile

import (
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

func (b *body) emitMakeInterface(i *ssa.MakeInterface) {
	d, x := b.slot(i), b.operand(i.X)
	box := dynamic.BoxerOf(b.Types.Of(i.X.Type()))
	if b.Types.IsEface(i.Type()) {
		b.emit(func(f unsafe.Pointer) { *slot.At[any](f, d) = box(unsafe.Add(f, x)) })
		return
	}
	set, pos := b.Setter(i.Type()), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		fault.Site(f, pos)
		set(unsafe.Add(f, d), box(unsafe.Add(f, x)))
	})
}

// emitChangeType copies a value. Interfaces of equal methods may lie in memory in two ways.
func (b *body) emitChangeType(i *ssa.ChangeType) {
	if types.IsInterface(i.Type()) && b.Types.IsEface(i.Type()) != b.Types.IsEface(i.X.Type()) {
		b.emitInterfaceToInterface(i, i.X)
		return
	}
	b.emit(slot.Copy(b.Types.Of(i.Type()), b.slot(i), b.operand(i.X)))
}

func (b *body) emitChangeInterface(i *ssa.ChangeInterface) { b.emitInterfaceToInterface(i, i.X) }

func (b *body) emitInterfaceToInterface(to, from ssa.Value) {
	d, x := b.slot(to), b.operand(from)
	read, set := b.AsAny(from.Type()), b.Setter(to.Type())
	b.emit(func(f unsafe.Pointer) { set(unsafe.Add(f, d), read(unsafe.Add(f, x))) })
}

func (b *body) emitTypeAssert(i *ssa.TypeAssert) {
	d, x, pos := b.slot(i), b.operand(i.X), i.Pos()
	read := b.AsAny(i.X.Type())
	if _, ok := i.AssertedType.Underlying().(*types.Interface); ok {
		b.emitAssertInterface(i, d, x)
		return
	}
	rt := b.Types.Of(i.AssertedType)
	word, direct, move, clear := layout.TypeWord(rt), layout.IsDirect(rt), slot.MoverOf(rt), slot.ClearerOf(rt)
	take := func(to, data unsafe.Pointer) {
		if direct {
			*(*unsafe.Pointer)(to) = data
		} else {
			move(to, data)
		}
	}
	if i.CommaOk {
		okAt := d + b.Types.Of(i.Type()).Field(1).Offset
		b.emit(func(f unsafe.Pointer) {
			v := read(unsafe.Add(f, x))
			e := (*layout.Eface)(unsafe.Pointer(&v))
			ok := e.Type == word
			if ok {
				take(unsafe.Add(f, d), e.Data)
			} else {
				clear(unsafe.Add(f, d))
			}
			*slot.At[bool](f, okAt) = ok
		})
		return
	}
	inter, want := layout.Name(i.X.Type()), layout.Name(i.AssertedType)
	b.emit(func(f unsafe.Pointer) {
		v := read(unsafe.Add(f, x))
		e := (*layout.Eface)(unsafe.Pointer(&v))
		if e.Type != word {
			have := ""
			if v != nil {
				have = b.DynamicName(reflect.TypeOf(v))
			}
			fault.FailedAssertion(f, pos, inter, have, want, "")
		}
		take(unsafe.Add(f, d), e.Data)
	})
}

func (b *body) emitAssertInterface(i *ssa.TypeAssert, d, x uintptr) {
	pos, read, set := i.Pos(), b.AsAny(i.X.Type()), b.Setter(i.AssertedType)
	want := i.AssertedType
	name, isBound := layout.Name(want), bindsMethod(i)
	if i.CommaOk {
		okAt := d + b.Types.Of(i.Type()).Field(1).Offset
		b.emit(func(f unsafe.Pointer) {
			v := read(unsafe.Add(f, x))
			ok := v != nil && b.Missing(reflect.TypeOf(v), want) == ""
			if !ok {
				v = nil
			}
			set(unsafe.Add(f, d), v)
			*slot.At[bool](f, okAt) = ok
		})
		return
	}
	b.emit(func(f unsafe.Pointer) {
		v := read(unsafe.Add(f, x))
		if v == nil && isBound {
			fault.NilPointer(f, pos)
		}
		if v == nil {
			fault.FailedAssertion(f, pos, "", "", name, "")
		}
		if m := b.Missing(reflect.TypeOf(v), want); m != "" {
			fault.FailedAssertion(f, pos, "", b.DynamicName(reflect.TypeOf(v)), name, m)
		}
		set(unsafe.Add(f, d), v)
	})
}

// bindsMethod reports whether an assertion is go/ssa's test for nil before it makes a method value, the next step but a
// conversion. In generic code that test has no place.
func bindsMethod(i *ssa.TypeAssert) bool {
	if i.CommaOk || !i.Pos().IsValid() {
		return !i.CommaOk
	}
	steps, bound := i.Block().Instrs, i.X
	next := slices.Index(steps, ssa.Instruction(i)) + 1
	if change, ok := steps[next].(*ssa.ChangeInterface); ok && change.X == bound {
		bound = change
		next++
	}
	closure, ok := steps[next].(*ssa.MakeClosure)
	return ok && slices.Contains(closure.Bindings, bound)
}
