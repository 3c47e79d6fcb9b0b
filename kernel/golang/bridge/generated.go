package bridge

import (
	"reflect"
	"unsafe"
)

// Generated returns a proxy of a generated type: a struct with a field Object and, for each method M of the interface,
// a function M_ that takes the object first. A pointer to it implements the interface.
func Generated(rt reflect.Type, box Box) any {
	proxy := reflect.New(rt)
	for i := range rt.NumField() {
		f := rt.Field(i)
		if f.Name == "Object" {
			proxy.Elem().Field(i).Set(reflect.ValueOf(&box.V).Elem())
			continue
		}
		proxy.Elem().Field(i).Set(box.function(f.Name[:len(f.Name)-1], f.Type))
	}
	return proxy.Interface()
}

// function calls a method of the box; the first argument, the object, is left out.
func (b Box) function(name string, rt reflect.Type) reflect.Value {
	return reflect.MakeFunc(rt, func(in []reflect.Value) []reflect.Value {
		args := make([]unsafe.Pointer, 0, len(in))
		for _, v := range in[1:] {
			args = append(args, placed(v))
		}
		results, values := make([]unsafe.Pointer, rt.NumOut()), make([]reflect.Value, rt.NumOut())
		for i := range results {
			memory := reflect.New(rt.Out(i))
			results[i], values[i] = memory.UnsafePointer(), memory.Elem()
		}
		b.call(name, args, results)
		return values
	})
}

// Object returns the value behind a generated proxy.
func Object(proxy any) any { return reflect.ValueOf(proxy).Elem().FieldByName("Object").Interface() }
