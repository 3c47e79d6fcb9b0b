package fault

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Go's runtime does not export the types of its errors. Programs see them by %T, errors.As and type assertions. So
// errors that are made here have the runtime's types.

// Check compares this package's copies of the runtime's error types with the runtime's.
func Check() error {
	assertion, bounds := reflect.TypeFor[runtime.TypeAssertionError](), runtimeErrors.bounds
	if !haveSameLayout(assertion, reflect.TypeFor[assertionFault]()) ||
		!haveSameLayout(bounds, reflect.TypeFor[boundsFault]()) ||
		!hasNameLayout(assertion.Field(0).Type) || boundsError(boundsConvert, 4, 3, true).Error() != shortText ||
		assertionError("a", "b", "c", "").Error() != "interface conversion: a is b, not c" {
		return layout.Mismatch("errors of the runtime are not laid out")
	}
	return nil
}

const shortText = "runtime error: cannot convert slice with length 3 to array or pointer to array with length 4"

// hasNameLayout reports whether the runtime's descriptions of types hold the name where nameOnly does.
func hasNameLayout(pointer reflect.Type) bool {
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return false
	}
	name, ok := pointer.Elem().FieldByName("Str")
	return ok && name.Offset == unsafe.Offsetof(nameOnly{}.name) && name.Type.Kind() == reflect.Int32 &&
		pointer.Elem().Size() == unsafe.Sizeof(nameOnly{})
}

// haveSameLayout reports whether the fields of two structs are of the same kinds and in the same places.
func haveSameLayout(a, b reflect.Type) bool {
	if a.Kind() != reflect.Struct || a.NumField() != b.NumField() {
		return false
	}
	for i := range a.NumField() {
		f, g := a.Field(i), b.Field(i)
		if f.Offset != g.Offset || f.Type.Kind() != g.Type.Kind() {
			return false
		}
	}
	return true
}

// Message is a run-time error of the interpreter's own.
type Message string

func (m Message) Error() string { return string(m) }

// RuntimeError makes it a runtime.Error.
func (Message) RuntimeError() {}

// runtimeErrors are the types of the runtime's errors, as panics show them.
var runtimeErrors = struct{ text, bounds reflect.Type }{
	text: panicTypeOf(func() {
		zero := 0
		_ = 1 / zero
	}),
	bounds: panicTypeOf(func() {
		var none []int
		_ = none[len(none)]
	}),
}

// panicTypeOf returns the type of what a call panics with.
func panicTypeOf(f func()) (rt reflect.Type) {
	defer func() { rt = reflect.TypeOf(recover()) }()
	f()
	return nil
}

// runtimeError is an error of the runtime that is only a text.
func runtimeError(text string) error {
	rest, ok := strings.CutPrefix(text, "runtime error: ")
	if !ok || runtimeErrors.text.Kind() != reflect.String {
		return Message(text)
	}
	e := reflect.New(runtimeErrors.text).Elem()
	e.SetString(rest)
	return e.Interface().(error)
}

// Codes of what does not fit, as in internal/abi.
const (
	boundsIndex = iota
	boundsSliceLength
	boundsSliceCapacity
	boundsSliceLow
	boundsSlice3Length
	boundsSlice3Capacity
	boundsSlice3High
	boundsSlice3Low
	boundsConvert
)

// boundsFault has the layout of runtime.boundsError.
type boundsFault struct {
	x        int64
	y        int
	isSigned bool
	code     uint8
}

// boundsError says that x does not fit y.
func boundsError(code uint8, x, y int, signed bool) error {
	made := reflect.New(runtimeErrors.bounds)
	*(*boundsFault)(made.UnsafePointer()) = boundsFault{int64(x), y, signed, code}
	return made.Elem().Interface().(error)
}

// assertionFault has the layout of runtime.TypeAssertionError.
type assertionFault struct {
	inter, concrete, asserted *nameOnly
	missing                   string
}

// nameOnly is as much of a type as the runtime needs for its name.
type nameOnly struct {
	_    [40]byte
	name int32
	_    [4]byte
}

// assertionError says that what an interface holds is not of a type. An empty name stands for no type.
func assertionError(inter, concrete, asserted, missing string) error {
	e := new(runtime.TypeAssertionError)
	fault := (*assertionFault)(unsafe.Pointer(e))
	*fault = assertionFault{typeNamed(inter), typeNamed(concrete), typeNamed(asserted), missing}
	return e
}

// names are the types that have been made of names. The runtime keeps a name forever.
var names = struct {
	sync.Mutex
	made map[string]*nameOnly
}{made: map[string]*nameOnly{}}

func typeNamed(name string) *nameOnly {
	if name == "" {
		return nil
	}
	names.Lock()
	defer names.Unlock()
	t := names.made[name]
	if t == nil {
		data := []byte{0} // flags; then the length by seven bits
		n := len(name)
		for ; n >= 0x80; n >>= 7 {
			data = append(data, byte(n)|0x80)
		}
		data = append(append(data, byte(n)), name...)
		t = &nameOnly{name: addReflectOff(unsafe.Pointer(&data[0]))}
		names.made[name] = t
	}
	return t
}

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(unsafe.Pointer) int32
