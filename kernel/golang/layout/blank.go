package layout

import "reflect"

// Blanks lists the blank fields in values of a layout. Go's == does not look at them, but that of types that reflection
// makes does; so they are zero in every copy.
func Blanks(rt reflect.Type) []reflect.StructField {
	if rt.Size() == 0 {
		return nil
	}
	var list []reflect.StructField
	switch rt.Kind() {
	case reflect.Struct:
		for i := range rt.NumField() {
			f := rt.Field(i)
			if f.Name == "_" && f.Type.Size() > 0 {
				list = append(list, f)
				continue
			}
			for _, inner := range Blanks(f.Type) {
				inner.Offset += f.Offset
				list = append(list, inner)
			}
		}
	case reflect.Array:
		inner := Blanks(rt.Elem())
		if len(inner) == 0 {
			return nil
		}
		for i := range rt.Len() {
			for _, f := range inner {
				f.Offset += uintptr(i) * rt.Elem().Size()
				list = append(list, f)
			}
		}
	}
	return list
}
