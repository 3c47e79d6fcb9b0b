package compile

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// direct calls compiled functions of the commonest signatures without reflection; nil for all others.
func direct(fv reflect.Value, a, r []uintptr) run.Instr {
	switch fn := fv.Interface().(type) {
	case func(float64) float64:
		x, d := a[0], r[0]
		return func(f unsafe.Pointer) { *at[float64](f, d) = fn(*at[float64](f, x)) }
	case func(float64, float64) float64:
		x, y, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) { *at[float64](f, d) = fn(*at[float64](f, x), *at[float64](f, y)) }
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
	case func(string, int) string:
		return call2[string, int, string](fn, a, r)
	case func([]string, string) string:
		return call2[[]string, string, string](fn, a, r)
	case func([]int):
		x := a[0]
		return func(f unsafe.Pointer) { fn(*at[[]int](f, x)) }
	}
	return method0(fv, a, r)
}

func call1[A, R any](fn func(A) R, a, r []uintptr) run.Instr {
	x, d := a[0], r[0]
	return func(f unsafe.Pointer) { *at[R](f, d) = fn(*at[A](f, x)) }
}

func call2[A, B, R any](fn func(A, B) R, a, r []uintptr) run.Instr {
	x, y, d := a[0], a[1], r[0]
	return func(f unsafe.Pointer) { *at[R](f, d) = fn(*at[A](f, x), *at[B](f, y)) }
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
		return func(f unsafe.Pointer) { fn(*at[unsafe.Pointer](f, x)) }
	case same(nil, types{str}):
		return call1(*(*func(unsafe.Pointer) string)(p), a, r)
	case same(nil, types{integer}):
		return call1(*(*func(unsafe.Pointer) int)(p), a, r)
	case same(nil, types{reflect.TypeFor[bool]()}):
		return call1(*(*func(unsafe.Pointer) bool)(p), a, r)
	case same(types{integer}, nil):
		fn, x, y := *(*func(unsafe.Pointer, int))(p), a[0], a[1]
		return func(f unsafe.Pointer) { fn(*at[unsafe.Pointer](f, x), *at[int](f, y)) }
	case same(types{integer}, types{integer}):
		return call2(*(*func(unsafe.Pointer, int) int)(p), a, r)
	case same(types{str}, types{integer, err}):
		fn, x, y := *(*func(unsafe.Pointer, string) (int, error))(p), a[0], a[1]
		return func(f unsafe.Pointer) {
			*at[int](f, r[0]), *at[error](f, r[1]) = fn(*at[unsafe.Pointer](f, x), *at[string](f, y))
		}
	case same(types{char}, types{integer, err}):
		fn, x, y := *(*func(unsafe.Pointer, rune) (int, error))(p), a[0], a[1]
		return func(f unsafe.Pointer) {
			*at[int](f, r[0]), *at[error](f, r[1]) = fn(*at[unsafe.Pointer](f, x), *at[rune](f, y))
		}
	case same(types{reflect.TypeFor[byte]()}, types{err}):
		return call2(*(*func(unsafe.Pointer, byte) error)(p), a, r)
	}
	return nil
}

// directShapes make function values of the commonest signatures without reflection. Each captures the Closure alone.
var directShapes = map[reflect.Type]func(*Closure) unsafe.Pointer{
	reflect.TypeFor[func()]():                   of(func(cl *Closure) func() { return func() { cl.invoke(nil, nil) } }),
	reflect.TypeFor[func() int]():               of(func0[int]),
	reflect.TypeFor[func() string]():            of(func0[string]),
	reflect.TypeFor[func() error]():             of(func0[error]),
	reflect.TypeFor[func() bool]():              of(func0[bool]),
	reflect.TypeFor[func(int)]():                of(proc1[int]),
	reflect.TypeFor[func(int) bool]():           of(func1[int, bool]),
	reflect.TypeFor[func(int) int]():            of(func1[int, int]),
	reflect.TypeFor[func(rune) bool]():          of(func1[rune, bool]),
	reflect.TypeFor[func(string) bool]():        of(func1[string, bool]),
	reflect.TypeFor[func(string) string]():      of(func1[string, string]),
	reflect.TypeFor[func(float64) float64]():    of(func1[float64, float64]),
	reflect.TypeFor[func(int, int) bool]():      of(func2[int, int, bool]),
	reflect.TypeFor[func(int, int) int]():       of(func2[int, int, int]),
	reflect.TypeFor[func(string, int) bool]():   of(func2[string, int, bool]),
	reflect.TypeFor[func(string, string) int](): of(func2[string, string, int]),
}

func of[F any](make func(*Closure) F) func(*Closure) unsafe.Pointer {
	return func(cl *Closure) unsafe.Pointer { return pointerOf(make(cl)) }
}

// pointerOf is a function value as memory holds it.
func pointerOf[F any](f F) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

func func0[R any](cl *Closure) func() R {
	return func() (r R) {
		cl.invoke(nil, []unsafe.Pointer{unsafe.Pointer(&r)})
		return r
	}
}

func proc1[A any](cl *Closure) func(A) {
	return func(a A) { cl.invoke([]unsafe.Pointer{unsafe.Pointer(&a)}, nil) }
}

func func1[A, R any](cl *Closure) func(A) R {
	return func(a A) (r R) {
		cl.invoke([]unsafe.Pointer{unsafe.Pointer(&a)}, []unsafe.Pointer{unsafe.Pointer(&r)})
		return r
	}
}

func func2[A, B, R any](cl *Closure) func(A, B) R {
	return func(a A, b B) (r R) {
		cl.invoke([]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b)}, []unsafe.Pointer{unsafe.Pointer(&r)})
		return r
	}
}
