package step

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Convert converts a number of one kind to another kind.
func Convert(from, to reflect.Kind, d, s uintptr) run.Instr {
	switch from {
	case reflect.Int, reflect.Int64:
		return toNumber[int64](to, d, s)
	case reflect.Int8:
		return toNumber[int8](to, d, s)
	case reflect.Int16:
		return toNumber[int16](to, d, s)
	case reflect.Int32:
		return toNumber[int32](to, d, s)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return toNumber[uint64](to, d, s)
	case reflect.Uint8:
		return toNumber[uint8](to, d, s)
	case reflect.Uint16:
		return toNumber[uint16](to, d, s)
	case reflect.Uint32:
		return toNumber[uint32](to, d, s)
	case reflect.Float32:
		return toNumber[float32](to, d, s)
	}
	return toNumber[float64](to, d, s)
}

func toNumber[S integer | float](to reflect.Kind, d, s uintptr) run.Instr {
	switch to {
	case reflect.Int, reflect.Int64:
		return func(f unsafe.Pointer) { *slot.At[int64](f, d) = int64(*slot.At[S](f, s)) }
	case reflect.Int8:
		return func(f unsafe.Pointer) { *slot.At[int8](f, d) = int8(*slot.At[S](f, s)) }
	case reflect.Int16:
		return func(f unsafe.Pointer) { *slot.At[int16](f, d) = int16(*slot.At[S](f, s)) }
	case reflect.Int32:
		return func(f unsafe.Pointer) { *slot.At[int32](f, d) = int32(*slot.At[S](f, s)) }
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f unsafe.Pointer) { *slot.At[uint64](f, d) = uint64(*slot.At[S](f, s)) }
	case reflect.Uint8:
		return func(f unsafe.Pointer) { *slot.At[uint8](f, d) = uint8(*slot.At[S](f, s)) }
	case reflect.Uint16:
		return func(f unsafe.Pointer) { *slot.At[uint16](f, d) = uint16(*slot.At[S](f, s)) }
	case reflect.Uint32:
		return func(f unsafe.Pointer) { *slot.At[uint32](f, d) = uint32(*slot.At[S](f, s)) }
	case reflect.Float32:
		return func(f unsafe.Pointer) { *slot.At[float32](f, d) = float32(*slot.At[S](f, s)) }
	}
	return func(f unsafe.Pointer) { *slot.At[float64](f, d) = float64(*slot.At[S](f, s)) }
}

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type float interface{ float32 | float64 }
