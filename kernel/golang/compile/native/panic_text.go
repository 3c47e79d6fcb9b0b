package native

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// PanicText returns the value of a panic as Go prints it when nothing recovers it.
func (s *Session) PanicText(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float32, float64,
		complex64, complex128:
		return Printed(v)
	}
	rt := reflect.TypeOf(v)
	methods := s.Methods(rt)
	for _, name := range []string{"Error", "String"} {
		if methods[name] == "func() string" {
			var text string
			s.Invoke(v, name, nil, []unsafe.Pointer{unsafe.Pointer(&text)})
			return text
		}
	}
	memory := reflect.New(rt)
	memory.Elem().Set(reflect.ValueOf(v))
	plain := dynamic.Plain(rt, memory.UnsafePointer())
	name := s.DynamicName(rt)
	switch k := plain.Kind(); {
	case k == reflect.String:
		return name + "(\"" + plain.String() + "\")"
	case k == reflect.Bool || layout.IsNumeric(k) || k == reflect.Complex64 || k == reflect.Complex128:
		return fmt.Sprintf("%s(%s)", name, Printed(plain.Interface()))
	}
	return fmt.Sprintf("(%s) %#x", name, *(*uintptr)(unsafe.Add(unsafe.Pointer(&v), unsafe.Sizeof(uintptr(0)))))
}

// Printed returns a value as the predeclared print writes it.
func Printed(v any) string {
	const maxBits = 128 // bits
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, maxBits/2)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, maxBits/4)
	case complex128:
		return strconv.FormatComplex(v, 'g', -1, maxBits)
	case complex64:
		return strconv.FormatComplex(complex128(v), 'g', -1, maxBits/2)
	}
	if rv := reflect.ValueOf(v); rv.IsValid() {
		switch rv.Kind() {
		case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
			return fmt.Sprintf("%#x", rv.Pointer())
		case reflect.Slice:
			return fmt.Sprintf("[%d/%d]%#x", rv.Len(), rv.Cap(), rv.Pointer())
		}
	}
	return fmt.Sprint(v)
}
