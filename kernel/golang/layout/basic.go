package layout

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

var (
	errorType = reflect.TypeFor[error]()
	anyType   = reflect.TypeFor[any]()
)

var basics = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Uintptr: reflect.TypeFor[uintptr](), types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](),
	types.UntypedRune: reflect.TypeFor[rune](), types.UntypedFloat: reflect.TypeFor[float64](),
	types.UntypedComplex: reflect.TypeFor[complex128](), types.UntypedString: reflect.TypeFor[string](),
	types.UntypedNil: reflect.TypeFor[unsafe.Pointer](), types.Invalid: reflect.TypeFor[struct{}](),
}

func basic(b *types.Basic) reflect.Type {
	rt, ok := basics[b.Kind()]
	if !ok {
		panic(fmt.Sprintf("layout: no layout for %s", b))
	}
	return rt
}

// IsDirect reports whether an interface holds values of this layout in its data word itself: they are one pointer.
func IsDirect(rt reflect.Type) bool {
	return rt.Size() == unsafe.Sizeof(uintptr(0)) && Pointers(rt)
}

// Pointers reports whether the garbage collector finds pointers in values of this layout.
func Pointers(rt reflect.Type) bool {
	switch rt.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String,
		reflect.Slice, reflect.Interface:
		return true
	case reflect.Struct:
		for i := range rt.NumField() {
			if Pointers(rt.Field(i).Type) {
				return true
			}
		}
	case reflect.Array:
		return rt.Len() > 0 && Pointers(rt.Elem())
	}
	return false
}
