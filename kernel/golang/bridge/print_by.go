package bridge

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"unsafe"
)

// methods prints a value by a method of its type, as package fmt chooses it.
func (w *walker) methods(p unsafe.Pointer, typ types.Type, rt reflect.Type) (done bool) {
	methods := w.S.Methods(rt)
	if len(methods) == 0 {
		return false
	}
	v := reflect.NewAt(rt, p).Elem().Interface()
	name := ""
	switch {
	case methods["Format"] == "func(fmt.State, int32)":
		name = "Format"
	case w.sharp():
		if methods["GoString"] == "func() string" {
			name = "GoString"
		}
	case slices.Contains([]rune("vsxXq"), w.verb):
		if methods["Error"] == "func() string" {
			name = "Error"
		} else if methods["String"] == "func() string" {
			name = "String"
		}
	}
	if name == "" {
		return false
	}
	var fault any
	if panics(&fault, func() { w.printBy(v, name) }) {
		if e, ok := fault.(interface{ Final() bool }); ok && e.Final() {
			panic(fault)
		}
		if rt.Kind() == reflect.Pointer && *(*unsafe.Pointer)(p) == nil {
			w.text("<nil>")
		} else {
			fmt.Fprintf(w.state, "%%!%c(PANIC=%s method: %v)", w.verb, name, fault)
		}
	}
	return true
}

// printBy prints a value by a method.
func (w *walker) printBy(v any, name string) {
	if name == "Format" {
		state, verb := w.state, w.verb
		w.S.Invoke(v, name, list(unsafe.Pointer(&state), unsafe.Pointer(&verb)), nil)
		return
	}
	var s string
	w.S.Invoke(v, name, nil, list(unsafe.Pointer(&s)))
	if name == "GoString" {
		w.text(s)
	} else {
		w.leaf(s)
	}
}
