package step

import (
	"cmp"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Complex is a step of real, imag or complex for arguments of a kind.
func Complex(name string, kind reflect.Kind, x []uintptr, d uintptr) run.Instr {
	switch {
	case name == "real" && kind == reflect.Complex64:
		return func(f unsafe.Pointer) { *slot.At[float32](f, d) = real(*slot.At[complex64](f, x[0])) }
	case name == "real":
		return func(f unsafe.Pointer) { *slot.At[float64](f, d) = real(*slot.At[complex128](f, x[0])) }
	case name == "imag" && kind == reflect.Complex64:
		return func(f unsafe.Pointer) { *slot.At[float32](f, d) = imag(*slot.At[complex64](f, x[0])) }
	case name == "imag":
		return func(f unsafe.Pointer) { *slot.At[float64](f, d) = imag(*slot.At[complex128](f, x[0])) }
	case kind == reflect.Float32:
		return func(f unsafe.Pointer) {
			*slot.At[complex64](f, d) = complex(*slot.At[float32](f, x[0]), *slot.At[float32](f, x[1]))
		}
	}
	return func(f unsafe.Pointer) {
		*slot.At[complex128](f, d) = complex(*slot.At[float64](f, x[0]), *slot.At[float64](f, x[1]))
	}
}

// Extreme is a step of min or max for arguments of a kind.
func Extreme(isLeast bool, kind reflect.Kind, x []uintptr, d uintptr) run.Instr {
	switch kind {
	case reflect.Int, reflect.Int64:
		return extremeOf[int](isLeast, x, d)
	case reflect.Int8:
		return extremeOf[int8](isLeast, x, d)
	case reflect.Int16:
		return extremeOf[int16](isLeast, x, d)
	case reflect.Int32:
		return extremeOf[int32](isLeast, x, d)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return extremeOf[uint](isLeast, x, d)
	case reflect.Uint8:
		return extremeOf[uint8](isLeast, x, d)
	case reflect.Uint16:
		return extremeOf[uint16](isLeast, x, d)
	case reflect.Uint32:
		return extremeOf[uint32](isLeast, x, d)
	case reflect.Float32:
		return extremeOf[float32](isLeast, x, d)
	case reflect.Float64:
		return extremeOf[float64](isLeast, x, d)
	}
	return extremeOf[string](isLeast, x, d)
}

//go:noinline
func extremeOf[T cmp.Ordered](isLeast bool, x []uintptr, d uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		v := *slot.At[T](f, x[0])
		for _, y := range x[1:] {
			if isLeast {
				v = min(v, *slot.At[T](f, y))
			} else {
				v = max(v, *slot.At[T](f, y))
			}
		}
		*slot.At[T](f, d) = v
	}
}
