package layout

import (
	"errors"
	"fmt"
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

// Renew shows compiled code the methods that a cell added to types of earlier cells, and what became of those of types
// that embed them. What looked for one before may take it for missing.
func (t *Types) Renew(changed map[*types.TypeName]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.late {
		if mayChange(m.typ, changed) {
			t.setMethods(m)
		}
	}
	t.addMethods()
}

// mayChange reports whether methods of some types may be methods of another one.
func mayChange(typ types.Type, changed map[*types.TypeName]bool) bool {
	if n, ok := typ.(*types.Named); ok && changed[n.Obj()] {
		return true
	}
	if s, ok := typ.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Embedded() {
				return true
			}
		}
	}
	return false
}

// setMethods leaves out what there is no code for. Package forge tells why when a value is used as an interface.
func (t *Types) setMethods(m withMethods) {
	_ = m.made.Methods(t.methodsOf(m.typ), t.methodsOf(types.NewPointer(m.typ)))
}

func (t *Types) methodsOf(typ types.Type) (list []forge.Method) {
	self := weak.Make(t) // compiled code may call the methods forever, and must not keep the session so long
	for sel := range types.NewMethodSet(typ).Methods() {
		name, sig := sel.Obj().Name(), sel.Type().(*types.Signature)
		if !sel.Obj().Exported() || sig.Params().Len()+sig.Results().Len() > forge.MaxParameters {
			continue
		}
		rt := t.of(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
		list = append(list, forge.Method{Name: name, Type: rt, Call: func(v any, args, results []unsafe.Pointer) {
			if t := self.Value(); t != nil {
				t.call(v, name, rt, args, results)
				return
			}
			ended(fmt.Sprintf("the session of this %T has ended: its method %s cannot be called", v, name), rt, results)
		}})
	}
	return list
}

// ended is the call of a method after its session: an error or a text where the method has one as its result.
func ended(message string, method reflect.Type, results []unsafe.Pointer) {
	if n := method.NumOut(); n > 0 && method.Out(n-1) == errorType {
		*(*error)(results[n-1]) = errors.New(message)
	} else if n == 1 && method.Out(0).Kind() == reflect.String {
		*(*string)(results[0]) = message
	} else {
		panic(message)
	}
}
