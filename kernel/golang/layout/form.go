package layout

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

// form is a type of the same kind, size, alignment and pointers as a type that is not made yet. Of pointers of all
// kinds it does not say what they lead to.
func (t *Types) form(typ types.Type) reflect.Type {
	typ = types.Unalias(typ)
	if r := t.made.At(typ); r != nil {
		return r.(reflect.Type)
	}
	if n, ok := typ.(*types.Named); ok {
		if rt, ok := t.compiledType(n); ok {
			return rt
		}
	}
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		return reflect.TypeFor[*byte]()
	case *types.Slice:
		return reflect.TypeFor[[]byte]()
	case *types.Map:
		return reflect.TypeFor[map[byte]byte]()
	case *types.Chan:
		return reflect.TypeFor[chan byte]()
	case *types.Signature:
		return reflect.TypeFor[func()]()
	case *types.Interface:
		return anyType
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), t.form(u.Elem()))
	case *types.Struct:
		fields := make([]reflect.StructField, u.NumFields())
		for i := range fields {
			fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: t.form(u.Field(i).Type())}
			if u.Field(i).Name() == "_" { // which does not count in a key of a map
				fields[i].Name, fields[i].PkgPath = "_", CellPath
			}
		}
		return reflect.StructOf(fields)
	case *types.Basic:
		return basic(u)
	}
	return reflect.TypeFor[unsafe.Pointer]()
}
