package dynamic

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/forge"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// BoxerOf puts values of a layout into an `any`.
func BoxerOf(rt reflect.Type) func(unsafe.Pointer) any {
	word := layout.TypeWord(rt)
	box := func(data unsafe.Pointer) (v any) {
		*(*layout.Eface)(unsafe.Pointer(&v)) = layout.Eface{Type: word, Data: data}
		return v
	}
	switch slot.ClassOf(rt) {
	case slot.ClassPointer:
		return func(p unsafe.Pointer) any { return box(*(*unsafe.Pointer)(p)) }
	case slot.Class64:
		return func(p unsafe.Pointer) any {
			v := any(*(*uint64)(p))
			(*layout.Eface)(unsafe.Pointer(&v)).Type = word
			return v
		}
	case slot.ClassString:
		return func(p unsafe.Pointer) any {
			v := any(*(*string)(p))
			(*layout.Eface)(unsafe.Pointer(&v)).Type = word
			return v
		}
	}
	return func(p unsafe.Pointer) any { return reflect.NewAt(rt, p).Elem().Interface() }
}

// Held reads an interface with methods.
func Held(p unsafe.Pointer) (v any) {
	i := (*layout.Iface)(p)
	if i.Table != nil {
		*(*layout.Eface)(unsafe.Pointer(&v)) = layout.Eface{Type: i.Table.Type, Data: i.Data}
	}
	return v
}

// Unwrap returns the error of a cell that fmt.Errorf wrapped, and other values as they are.
func (s *Values) Unwrap(v any) any { return bridge.Argument(v) }

// AsAny reads a value of a type as an `any`: interfaces give what they hold.
func (s *Values) AsAny(t types.Type) func(unsafe.Pointer) any {
	rt := s.Types.Of(t)
	if _, ok := t.Underlying().(*types.Interface); ok {
		if s.Types.IsEface(t) {
			return func(p unsafe.Pointer) any { return *(*any)(p) }
		}
		return func(p unsafe.Pointer) any { return s.Unwrap(Held(p)) }
	}
	return BoxerOf(rt)
}

// Setter writes an `any` as an interface of a type. The value is known to implement it.
func (s *Values) Setter(t types.Type) func(to unsafe.Pointer, v any) {
	if s.Types.IsEface(t) {
		return func(to unsafe.Pointer, v any) { *(*any)(to) = v }
	}
	rt := s.Types.Of(t)
	var tables sync.Map // type word -> *layout.Table
	return func(to unsafe.Pointer, v any) {
		if v == nil {
			*(*layout.Iface)(to) = layout.Iface{}
			return
		}
		v = s.Implementing(rt, v)
		e := (*layout.Eface)(unsafe.Pointer(&v))
		if table, ok := tables.Load(e.Type); ok {
			*(*layout.Iface)(to) = layout.Iface{Table: table.(*layout.Table), Data: e.Data}
			return
		}
		reflect.NewAt(rt, to).Elem().Set(reflect.ValueOf(v))
		tables.Store(e.Type, (*layout.Iface)(to).Table)
	}
}

// Implementing is a value of a cell that is passed to compiled code as an interface. It ends the cell if compiled code
// cannot see the methods.
func (s *Values) Implementing(iface reflect.Type, v any) any {
	if rt := reflect.TypeOf(v); !rt.Implements(iface) {
		panic(fault.Message("values of " + rt.String() + " cannot be a " + iface.String() + " of compiled code: " +
			unseen(rt, iface)))
	}
	return v
}

// unseen says why compiled code does not see what an interface asks for.
func unseen(rt, iface reflect.Type) string {
	for m := range iface.Methods() {
		if m.PkgPath != "" {
			return "its method " + m.Name + " is not exported, and only types of compiled code have such methods there"
		}
	}
	if err := forge.Missing(rt); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("it lacks a method, or has it with another signature now, or with more than %d parameters and results",
		forge.MaxParameters)
}

// Dynamic reads what an interface of a type holds.
func (s *Values) Dynamic(p unsafe.Pointer, typ types.Type) any { return s.AsAny(typ)(p) }

// Plain returns a value without the layout of a cell's type.
func Plain(rt reflect.Type, p unsafe.Pointer) reflect.Value {
	return reflect.NewAt(layout.Unwrapped(rt), p).Elem()
}

// Place returns memory that holds a value.
func Place(v reflect.Value) unsafe.Pointer {
	memory := reflect.New(v.Type())
	memory.Elem().Set(v)
	return memory.UnsafePointer()
}
