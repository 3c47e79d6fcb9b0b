package layout

import (
	"go/types"
	"reflect"
	"unsafe"
	"weak"

	"github.com/spherelab/spherelab/kernel/golang/forge"
)

// Of returns the layout of a type. It panics on a type parameter: only instances have a layout.
func (t *Types) Of(typ types.Type) reflect.Type {
	t.mu.RLock()
	r := t.made.At(typ)
	t.mu.RUnlock()
	if r != nil {
		return r.(reflect.Type)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	rt := t.of(typ)
	t.addMethods()
	return rt
}

// Plain is the layout of what a type stands for.
func (t *Types) Plain(typ types.Type) reflect.Type { return Unwrapped(t.Of(typ.Underlying())) }

// CallBy makes the methods of cells' types visible to compiled code. Calls of them go to the caller.
func (t *Types) CallBy(call Caller) { t.call = call }

// addMethods sets the methods of the types that were just made, and of what their signatures lead to.
func (t *Types) addMethods() {
	for len(t.bare) > 0 {
		m := t.bare[len(t.bare)-1]
		t.bare = t.bare[:len(t.bare)-1]
		if t.call == nil || types.IsInterface(m.typ) {
			continue
		}
		t.setMethods(m)
		if n, ok := m.typ.(*types.Named); !ok || n.Obj().Pkg().Path() == CellPath {
			t.late = append(t.late, m)
		}
	}
}

// Renew shows compiled code the methods that cells added to types of earlier cells. What looked for one before may
// take it for missing.
func (t *Types) Renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.late {
		t.setMethods(m)
	}
	t.addMethods()
}

func (t *Types) setMethods(m withMethods) {
	m.made.Methods(t.methodsOf(m.typ), t.methodsOf(types.NewPointer(m.typ)))
}

func (t *Types) methodsOf(typ types.Type) (list []forge.Method) {
	self := weak.Make(t)
	for sel := range types.NewMethodSet(typ).Methods() {
		name := sel.Obj().Name()
		if !sel.Obj().Exported() {
			continue
		}
		rt := t.signature(sel.Type().(*types.Signature))
		list = append(list, forge.Method{Name: name, Type: rt, Call: func(v any, args, results []unsafe.Pointer) {
			self.Value().call(v, name, args, results)
		}})
	}
	return list
}
