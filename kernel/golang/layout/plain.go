package layout

import "reflect"

// Tags of the layouts that are made here.
const (
	wrapperTag  = "·cell"     // of the one field of a type that is not a struct
	declaredTag = "·declared" // of the first field of a struct
	embeddedTag = "·embedded" // of a field that reflection cannot take as an embedded one
)

// IsNumeric reports whether a kind is that of integers or of floating-point numbers.
func IsNumeric(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }

// Unwrapped removes the layouts of cell types, down to what they stand for.
func Unwrapped(rt reflect.Type) reflect.Type {
	for rt.Kind() == reflect.Struct && rt.NumField() == 1 {
		if _, ok := rt.Field(0).Tag.Lookup(wrapperTag); !ok {
			break
		}
		rt = rt.Field(0).Type
	}
	return rt
}

// plainStruct reports whether a struct, or a pointer to one, has no methods: reflection makes embedded fields of others
// in a few cases only.
func plainStruct(rt reflect.Type) bool {
	if rt.Kind() == reflect.Pointer {
		rt = rt.Elem()
	}
	return rt.Kind() == reflect.Struct && rt.NumMethod() == 0 && reflect.PointerTo(rt).NumMethod() == 0 &&
		Unwrapped(rt) == rt
}

// samePath moves all unexported fields to one package: reflection refuses others.
func samePath(fields []reflect.StructField) {
	path := ""
	for i := range fields {
		if fields[i].PkgPath == "" {
			continue
		}
		if path == "" {
			path = fields[i].PkgPath
		}
		fields[i].PkgPath = path
	}
}
