package interp

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cosmos72/gomacro/xreflect"
)

// Package reflect cannot make a struct type that refers to itself. gomacro puts an empty interface where the type refers to itself, and then loses the type's
// methods: a list or a tree with methods does not compile. Here such types are made with a stand-in for the type, whose fields are given their true types
// afterwards. A stand-in occurs behind pointers, slices, maps, channels and functions only, whose size does not depend on it, so size, alignment and what the
// garbage collector knows of the struct are right from the beginning.

// structType is the start of what the runtime knows of a struct type (internal/abi.StructType); patchable finds out whether that is so.
type structType struct {
	common  [48]byte
	pkgPath *byte
	fields  []struct {
		name   *byte
		typ    unsafe.Pointer
		offset uintptr
	}
}

// funcType is the same of a function type (internal/abi.FuncType), whose parameters and results come right behind.
type funcType struct {
	common   [48]byte
	in, out  uint16
	_        uint32
	firstArg [1]unsafe.Pointer
}

func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

// patchable reports whether types look as structType and funcType say.
var patchable = sync.OnceValue(func() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return false
	}
	mark := standIn("check")
	s := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.PointerTo(mark)}, {Name: "B", Type: reflect.TypeFor[int]()}})
	raw := (*structType)(typePointer(s))
	if raw.pkgPath != nil || len(raw.fields) != 2 || cap(raw.fields) < 2 || raw.fields[0].typ != typePointer(reflect.PointerTo(mark)) || raw.fields[1].offset != 8 {
		return false
	}
	patch(s, map[reflect.Type]reflect.Type{mark: s})
	if s.Field(0).Type != reflect.PointerTo(s) || s.Field(1).Type.Kind() != reflect.Int || s.Field(0).Type.Elem().Field(0).Name != "A" {
		return false
	}
	number := reflect.TypeFor[int]()
	f := reflect.FuncOf([]reflect.Type{number, reflect.PointerTo(mark)}, []reflect.Type{mark}, false)
	rawFunc := (*funcType)(typePointer(f))
	if rawFunc.in != 2 || rawFunc.out != 1 || rawFunc.firstArg[0] != typePointer(number) {
		return false
	}
	patch(f, map[reflect.Type]reflect.Type{mark: f})
	return f.In(0) == number && f.In(1) == reflect.PointerTo(f) && f.Out(0) == f
})

var standIns atomic.Int64

// standIn makes a type that is like no other.
func standIn(name string) reflect.Type {
	field := reflect.StructField{Name: fmt.Sprintf("%s%s_%d", xreflect.StrGensymPrivate, name, standIns.Add(1)), Type: reflect.TypeFor[struct{}]()}
	return reflect.StructOf([]reflect.StructField{field})
}

// patch replaces stand-ins in the fields of a struct type, or in a function type, that is not in use yet. The struct type also gets a package path of its own: reflect, which compares types
// without names by what they are made of, then never has to compare one that has no end.
func patch(s reflect.Type, types map[reflect.Type]reflect.Type) {
	if s.Kind() == reflect.Func {
		args := unsafe.Slice(&(*funcType)(typePointer(s)).firstArg[0], s.NumIn()+s.NumOut())
		for i := range args {
			var before reflect.Type
			if i < s.NumIn() {
				before = s.In(i)
			} else {
				before = s.Out(i - s.NumIn())
			}
			args[i] = typePointer(substitute(before, types))
		}
		return
	}
	raw := (*structType)(typePointer(s))
	for i := range raw.fields {
		before := s.Field(i).Type
		if after := substitute(before, types); after != before {
			raw.fields[i].typ = typePointer(after)
		}
	}
	path := fmt.Sprintf("notebook/%d", standIns.Add(1))
	raw.pkgPath = &append([]byte{0, byte(len(path))}, path...)[0]
}

// substitute replaces types inside a type without name.
func substitute(t reflect.Type, types map[reflect.Type]reflect.Type) reflect.Type {
	return substituteIn(t, types, make(map[reflect.Type]bool))
}

// substituteIn is substitute; open are the types that it is looking into: one that was patched before contains itself.
func substituteIn(t reflect.Type, types map[reflect.Type]reflect.Type, open map[reflect.Type]bool) reflect.Type {
	if other, ok := types[t]; ok {
		return other
	}
	if t.Name() != "" || open[t] {
		return t
	}
	open[t] = true
	defer delete(open, t)
	each := func(n int, get func(int) reflect.Type) (list []reflect.Type, changed bool) {
		for i := range n {
			before := get(i)
			list = append(list, substituteIn(before, types, open))
			changed = changed || list[i] != before
		}
		return list, changed
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		elem := substituteIn(t.Elem(), types, open)
		if elem == t.Elem() {
			return t
		}
		switch t.Kind() {
		case reflect.Pointer:
			return reflect.PointerTo(elem)
		case reflect.Slice:
			return reflect.SliceOf(elem)
		case reflect.Array:
			return reflect.ArrayOf(t.Len(), elem)
		}
		return reflect.ChanOf(t.ChanDir(), elem)
	case reflect.Map:
		key, elem := substituteIn(t.Key(), types, open), substituteIn(t.Elem(), types, open)
		if key != t.Key() || elem != t.Elem() {
			return reflect.MapOf(key, elem)
		}
	case reflect.Func:
		in, changedIn := each(t.NumIn(), t.In)
		out, changedOut := each(t.NumOut(), t.Out)
		if changedIn || changedOut {
			return reflect.FuncOf(in, out, t.IsVariadic())
		}
	case reflect.Struct:
		if (*structType)(typePointer(t)).pkgPath != nil { // patched before, and without end; or compiled
			return t
		}
		list, changed := each(t.NumField(), func(i int) reflect.Type { return t.Field(i).Type })
		if changed {
			fields := make([]reflect.StructField, len(list))
			for i := range fields {
				fields[i] = t.Field(i)
				fields[i].Type = list[i]
			}
			return reflect.StructOf(fields)
		}
	}
	return t
}

// forwardMethods gives an interface whose type was patched its methods anew: gomacro made them with the stand-in's type. In a value of an interface that a cell
// declares, the functions that do what its methods say come after a header.
func forwardMethods(t xreflect.Type) {
	rt, methods := t.ReflectType(), t.GetMethods()
	for i := range t.NumMethod() {
		f := rt.Elem().Field(i + 1).Type
		in, out := []reflect.Type{rt}, []reflect.Type(nil)
		for j := range f.NumIn() {
			in = append(in, f.In(j))
		}
		for j := range f.NumOut() {
			out = append(out, f.Out(j))
		}
		(*methods)[i] = reflect.MakeFunc(reflect.FuncOf(in, out, f.IsVariadic()), func(args []reflect.Value) []reflect.Value {
			g := args[0].Elem().Field(i + 1)
			if f.IsVariadic() {
				return g.CallSlice(args[1:])
			}
			return g.Call(args[1:])
		})
		refresh(t.Method(i).Type)
	}
}

// refresh makes gomacro's table of types hold the true types of what a field is made of: looking at a type that changed does it.
func refresh(t xreflect.Type) {
	if t != nil && t.Name() == "" {
		refreshParts(t)
	}
}

func refreshParts(t xreflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		refresh(t.Elem())
	case reflect.Map:
		refresh(t.Key())
		refresh(t.Elem())
	case reflect.Func:
		for i := range t.NumIn() {
			refresh(t.In(i))
		}
		for i := range t.NumOut() {
			refresh(t.Out(i))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			refresh(t.Field(i).Type)
		}
	}
}
