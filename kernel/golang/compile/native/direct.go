package native

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// directStep returns a step that calls a function without reflection. It returns nil except for the most common
// signatures.
func directStep(fv reflect.Value, a, r []uintptr) run.Instr {
	switch fn := fv.Interface().(type) {
	case func(float64) float64:
		x, d := a[0], r[0]
		return func(f unsafe.Pointer) { *slot.At[float64](f, d) = fn(*slot.At[float64](f, x)) }
	case func(float64, float64) float64:
		x, y, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) { *slot.At[float64](f, d) = fn(*slot.At[float64](f, x), *slot.At[float64](f, y)) }
	case func(string) string:
		return call1[string, string](fn, a, r)
	case func(int) string:
		return call1[int, string](fn, a, r)
	case func(int) int:
		return call1[int, int](fn, a, r)
	case func(rune) bool:
		return call1[rune, bool](fn, a, r)
	case func(rune) rune:
		return call1[rune, rune](fn, a, r)
	case func(string) int:
		return call1[string, int](fn, a, r)
	case func(string) []string:
		return call1[string, []string](fn, a, r)
	case func(string) error:
		return call1[string, error](fn, a, r)
	case func(string, string) bool:
		return call2[string, string, bool](fn, a, r)
	case func(string, string) int:
		return call2[string, string, int](fn, a, r)
	case func(string, string) []string:
		return call2[string, string, []string](fn, a, r)
	case func() float64:
		return call0[float64](fn, r)
	case func() int:
		return call0[int](fn, r)
	case func() time.Time:
		return call0[time.Time](fn, r)
	case func(time.Time) time.Duration:
		return call1[time.Time, time.Duration](fn, a, r)
	case func(string) (int, error):
		return split1[string, int](fn, a, r)
	case func(string, int) (float64, error):
		return split2[string, int, float64](fn, a, r)
	case func(int64, int) string:
		return call2[int64, int, string](fn, a, r)
	case func(string, string, string) string:
		x, y, z, d := a[0], a[1], a[2], r[0]
		return func(f unsafe.Pointer) {
			*slot.At[string](f, d) = fn(*slot.At[string](f, x), *slot.At[string](f, y), *slot.At[string](f, z))
		}
	case func(string, int) string:
		return call2[string, int, string](fn, a, r)
	case func([]string, string) string:
		return call2[[]string, string, string](fn, a, r)
	case func([]int):
		x := a[0]
		return func(f unsafe.Pointer) { fn(*slot.At[[]int](f, x)) }
	}
	return method0(fv, a, r)
}

//go:noinline
func call1[A, R any](fn func(A) R, a, r []uintptr) run.Instr {
	x, d := a[0], r[0]
	return func(f unsafe.Pointer) { *slot.At[R](f, d) = fn(*slot.At[A](f, x)) }
}

//go:noinline
func call2[A, B, R any](fn func(A, B) R, a, r []uintptr) run.Instr {
	x, y, d := a[0], a[1], r[0]
	return func(f unsafe.Pointer) { *slot.At[R](f, d) = fn(*slot.At[A](f, x), *slot.At[B](f, y)) }
}

//go:noinline
func call0[R any](fn func() R, r []uintptr) run.Instr {
	d := r[0]
	return func(f unsafe.Pointer) { *slot.At[R](f, d) = fn() }
}

//go:noinline
func split1[A, R any](fn func(A) (R, error), a, r []uintptr) run.Instr {
	x, d, e := a[0], r[0], r[1]
	return func(f unsafe.Pointer) { *slot.At[R](f, d), *slot.At[error](f, e) = fn(*slot.At[A](f, x)) }
}

//go:noinline
func split2[A, B, R any](fn func(A, B) (R, error), a, r []uintptr) run.Instr {
	x, y, d, e := a[0], a[1], r[0], r[1]
	return func(f unsafe.Pointer) {
		*slot.At[R](f, d), *slot.At[error](f, e) = fn(*slot.At[A](f, x), *slot.At[B](f, y))
	}
}

// method0 calls methods of pointers. A pointer is passed in the same way whatever it leads to.
func method0(fv reflect.Value, a, r []uintptr) run.Instr {
	ft := fv.Type()
	if ft.NumIn() == 0 || ft.In(0).Kind() != reflect.Pointer || ft.IsVariadic() {
		return nil
	}
	code := reflect.New(ft)
	code.Elem().Set(fv)
	in := make([]reflect.Type, 0, 2)
	for i := 1; i < ft.NumIn(); i++ {
		in = append(in, ft.In(i))
	}
	same := func(params, results []reflect.Type) bool {
		if len(in) != len(params) || ft.NumOut() != len(results) {
			return false
		}
		for i, rt := range params {
			if in[i] != rt {
				return false
			}
		}
		for i, rt := range results {
			if ft.Out(i) != rt {
				return false
			}
		}
		return true
	}
	p := code.UnsafePointer()
	type types = []reflect.Type
	str, integer, err, char := reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[error](),
		reflect.TypeFor[rune]()
	switch {
	case same(nil, nil):
		fn, x := *(*func(unsafe.Pointer))(p), a[0]
		return func(f unsafe.Pointer) { fn(*slot.At[unsafe.Pointer](f, x)) }
	case same(nil, types{str}):
		return call1(*(*func(unsafe.Pointer) string)(p), a, r)
	case same(nil, types{integer}):
		return call1(*(*func(unsafe.Pointer) int)(p), a, r)
	case same(nil, types{reflect.TypeFor[float64]()}):
		return call1[unsafe.Pointer, float64](*(*func(unsafe.Pointer) float64)(p), a, r)
	case same(nil, types{reflect.TypeFor[int64]()}):
		return call1[unsafe.Pointer, int64](*(*func(unsafe.Pointer) int64)(p), a, r)
	case same(nil, types{reflect.TypeFor[bool]()}):
		return call1(*(*func(unsafe.Pointer) bool)(p), a, r)
	case same(types{integer}, nil):
		fn, x, y := *(*func(unsafe.Pointer, int))(p), a[0], a[1]
		return func(f unsafe.Pointer) { fn(*slot.At[unsafe.Pointer](f, x), *slot.At[int](f, y)) }
	case same(types{integer}, types{integer}):
		return call2(*(*func(unsafe.Pointer, int) int)(p), a, r)
	case same(types{str}, types{integer, err}):
		fn, x, y := *(*func(unsafe.Pointer, string) (int, error))(p), a[0], a[1]
		return func(f unsafe.Pointer) {
			n, err := slot.At[int](f, r[0]), slot.At[error](f, r[1])
			*n, *err = fn(*slot.At[unsafe.Pointer](f, x), *slot.At[string](f, y))
		}
	case same(types{char}, types{integer, err}):
		fn, x, y := *(*func(unsafe.Pointer, rune) (int, error))(p), a[0], a[1]
		return func(f unsafe.Pointer) {
			*slot.At[int](f, r[0]), *slot.At[error](f, r[1]) = fn(*slot.At[unsafe.Pointer](f, x), *slot.At[rune](f, y))
		}
	case same(types{reflect.TypeFor[byte]()}, types{err}):
		return call2(*(*func(unsafe.Pointer, byte) error)(p), a, r)
	}
	return nil
}
