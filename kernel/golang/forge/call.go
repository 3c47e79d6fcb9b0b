package forge

import (
	"reflect"
	"unsafe"
)

// stubsPerMethod is how many stubs a method of a type takes.
func stubsPerMethod(rt reflect.Type) int {
	if headerOf(rt).flags&isDirect != 0 {
		return 1
	}
	return 2
}

// fillStubs makes the code of a method, at stubs that are reserved: for a receiver as the data word of an interface,
// and for one that is a value.
func fillStubs(rt reflect.Type, m Method, stub int) (byWord, byValue int32) {
	call := func(p unsafe.Pointer, args, results []unsafe.Pointer) {
		var v any
		*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{describes(rt), p}
		m.Call(v, args, results)
	}
	if direct, ok := directly[m.Type]; ok {
		byWord = fillStub(stub, direct(call))
	} else {
		byWord = fillStub(stub, reflectly(reflect.TypeFor[unsafe.Pointer](), m.Type, func(receiver reflect.Value,
			args, results []unsafe.Pointer) {
			call(receiver.UnsafePointer(), args, results)
		}))
	}
	if stubsPerMethod(rt) == 1 {
		return byWord, byWord
	}
	return byWord, fillStub(stub+1, reflectly(rt, m.Type, func(receiver reflect.Value, args, results []unsafe.Pointer) {
		m.Call(receiver.Interface(), args, results)
	}))
}

// reflectly makes a function of a receiver's type and a method's.
func reflectly(receiver, method reflect.Type, call func(receiver reflect.Value, args, results []unsafe.Pointer)) any {
	in, out := []reflect.Type{receiver}, make([]reflect.Type, method.NumOut())
	for i := range method.NumIn() {
		in = append(in, method.In(i))
	}
	for i := range out {
		out[i] = method.Out(i)
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, method.IsVariadic()), func(in []reflect.Value) []reflect.Value {
		args, results, values := make([]unsafe.Pointer, len(in)-1), make([]unsafe.Pointer, len(out)),
			make([]reflect.Value, len(out))
		for i := range args {
			memory := reflect.New(in[i+1].Type())
			memory.Elem().Set(in[i+1])
			args[i] = memory.UnsafePointer()
		}
		for i, rt := range out {
			memory := reflect.New(rt)
			results[i], values[i] = memory.UnsafePointer(), memory.Elem()
		}
		call(in[0], args, results)
		return values
	}).Interface()
}

// caller calls a method. The receiver is the data word of an interface.
type caller = func(receiver unsafe.Pointer, args, results []unsafe.Pointer)

// directly has the methods that are called often. Their functions do without reflection.
var directly = map[reflect.Type]func(call caller) any{}

func init() {
	add0x1[string]()
	add0x1[int]()
	add0x1[bool]()
	add0x1[any]()
	add0x1[error]()
	add0x1[int64]()
	add0x1[uint64]()
	add1x0[any]()
	add1x1[any, error]()
	add1x1[error, bool]()
	add1x1[any, bool]()
	add1x1[string, error]()
	add1x1[[]byte, error]()
	add1x2[[]byte, int, error]()
	add1x2[string, int, error]()
	directly[reflect.TypeFor[func(i, j int) bool]()] = func(call caller) any {
		return func(p unsafe.Pointer, i, j int) (r bool) {
			call(p, []unsafe.Pointer{unsafe.Pointer(&i), unsafe.Pointer(&j)}, []unsafe.Pointer{unsafe.Pointer(&r)})
			return r
		}
	}
	directly[reflect.TypeFor[func(i, j int)]()] = func(call caller) any {
		return func(p unsafe.Pointer, i, j int) {
			call(p, []unsafe.Pointer{unsafe.Pointer(&i), unsafe.Pointer(&j)}, nil)
		}
	}
	directly[reflect.TypeFor[func() ([]byte, error)]()] = func(call caller) any {
		return func(p unsafe.Pointer) (r []byte, err error) {
			call(p, nil, []unsafe.Pointer{unsafe.Pointer(&r), unsafe.Pointer(&err)})
			return r, err
		}
	}
}

func add0x1[R any]() {
	directly[reflect.TypeFor[func() R]()] = func(call caller) any {
		return func(p unsafe.Pointer) (r R) {
			call(p, nil, []unsafe.Pointer{unsafe.Pointer(&r)})
			return r
		}
	}
}

func add1x0[A any]() {
	directly[reflect.TypeFor[func(A)]()] = func(call caller) any {
		return func(p unsafe.Pointer, a A) { call(p, []unsafe.Pointer{unsafe.Pointer(&a)}, nil) }
	}
}

func add1x1[A, R any]() {
	directly[reflect.TypeFor[func(A) R]()] = func(call caller) any {
		return func(p unsafe.Pointer, a A) (r R) {
			call(p, []unsafe.Pointer{unsafe.Pointer(&a)}, []unsafe.Pointer{unsafe.Pointer(&r)})
			return r
		}
	}
}

func add1x2[A, R, S any]() {
	directly[reflect.TypeFor[func(A) (R, S)]()] = func(call caller) any {
		return func(p unsafe.Pointer, a A) (r R, s S) {
			call(p, []unsafe.Pointer{unsafe.Pointer(&a)}, []unsafe.Pointer{unsafe.Pointer(&r), unsafe.Pointer(&s)})
			return r, s
		}
	}
}
