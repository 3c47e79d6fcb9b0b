package bindings

import (
	"go/token"
	"reflect"
)

// hidden finds the types of a package that it does not export but shows: as the type of a variable, a field, a
// parameter or a result. Generic types and those that functions declare have no name of their own, and are left out.
func hidden(path string, table Table) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	seen := map[reflect.Type]bool{}
	var visit func(rt reflect.Type)
	visit = func(rt reflect.Type) {
		if seen[rt] {
			return
		}
		seen[rt] = true
		if rt.PkgPath() != "" && rt.PkgPath() != path {
			return
		}
		if rt.Name() != "" && rt.PkgPath() == path && !token.IsExported(rt.Name()) && token.IsIdentifier(rt.Name()) {
			found[rt.Name()] = rt
		}
		switch rt.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			visit(rt.Elem())
		case reflect.Map:
			visit(rt.Key())
			visit(rt.Elem())
		case reflect.Struct:
			for i := range rt.NumField() {
				visit(rt.Field(i).Type)
			}
		case reflect.Func:
			for i := range rt.NumIn() {
				visit(rt.In(i))
			}
			for i := range rt.NumOut() {
				visit(rt.Out(i))
			}
		}
		for i := range rt.NumMethod() {
			visit(rt.Method(i).Type)
		}
		if rt.Name() != "" && rt.Kind() != reflect.Interface {
			for m := range reflect.PointerTo(rt).Methods() {
				visit(m.Type)
			}
		}
	}
	for _, v := range table.Values {
		visit(v.Type())
		if v.Kind() == reflect.Interface && !v.IsNil() {
			visit(v.Elem().Type())
		}
	}
	for _, rt := range table.Types {
		visit(rt)
	}
	return found
}
