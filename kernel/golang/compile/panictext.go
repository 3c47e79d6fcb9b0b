package compile

import (
	"fmt"
	"reflect"
	"unsafe"
)

// PanicText is the value of a panic as Go prints it when nothing recovers it.
func (c *Compiler) PanicText(v any) string {
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
		return printed(v)
	}
	rt := reflect.TypeOf(v)
	methods := c.Methods(rt)
	for _, name := range []string{"Error", "String"} {
		if methods[name] == "func() string" {
			var text string
			c.Invoke(v, name, nil, []unsafe.Pointer{unsafe.Pointer(&text)})
			return text
		}
	}
	memory := reflect.New(rt)
	memory.Elem().Set(reflect.ValueOf(v))
	plain := plainValue(rt, memory.UnsafePointer())
	name := c.DynamicName(rt)
	switch k := plain.Kind(); {
	case k == reflect.String:
		return name + "(\"" + plain.String() + "\")"
	case k == reflect.Bool || numeric(k) || k == reflect.Complex64 || k == reflect.Complex128:
		return fmt.Sprintf("%s(%s)", name, printed(plain.Interface()))
	}
	return fmt.Sprintf("(%s) %#x", name, *(*uintptr)(unsafe.Add(unsafe.Pointer(&v), unsafe.Sizeof(uintptr(0)))))
}
