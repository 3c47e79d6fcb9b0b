package forge

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// Check compares this package's picture of types with the runtime that the program is linked with. It does so once.
func Check() error { return firstCheck() }

var firstCheck = sync.OnceValue(check)

func check() error {
	described, ok := reflect.TypeFor[runtime.TypeAssertionError]().FieldByName("_interface")
	if !ok || !checked(described.Type.Elem()) {
		return fmt.Errorf("%s describes types otherwise than this program expects", runtime.Version())
	}
	n := Declare(Declaration{Name: "main.T", Path: "main", Form: reflect.TypeFor[int](), IsNamed: true})
	n.Become(reflect.TypeFor[int]())
	typ := reflect.TypeFor[func() string]()
	method := Method{Name: "String", Type: typ, Call: func(v any, _, results []unsafe.Pointer) {
		*(*string)(results[0]) = fmt.Sprint(reflect.ValueOf(v).Kind())
	}}
	if n.Methods([]Method{method}, []Method{method}) != nil {
		return nil // no code for methods here
	}
	if n.Type.Name() != "T" || fmt.Sprint(reflect.New(n.Type), reflect.Zero(n.Type)) != "ptr int" {
		return fmt.Errorf("%s calls methods otherwise than this program expects", runtime.Version())
	}
	return nil
}

// checked reports whether the runtime's description of a type has the fields of a header.
func checked(rt reflect.Type) bool {
	ours := reflect.TypeFor[header]()
	if rt.Kind() != reflect.Struct || rt.NumField() != ours.NumField() {
		return false
	}
	for i := range ours.NumField() {
		f, g := ours.Field(i), rt.Field(i)
		if f.Offset != g.Offset || f.Type.Size() != g.Type.Size() {
			return false
		}
	}
	return true
}
