package slot

import (
	"reflect"
	"unsafe"
)

// The variables of cells belong to the session, so go/ssa reads and writes them by steps of their own. Where nothing
// can tell the difference, the step that uses a variable reads it itself, and the one that computes its new value
// writes it.

// Ref is where a value is: in the frame, or in memory that never moves.
type Ref struct {
	Memory unsafe.Pointer // nil: in the frame
	Offset uintptr        // in the frame
}

// At returns the place of the value.
func (r Ref) At(frame unsafe.Pointer) unsafe.Pointer {
	if r.Memory != nil {
		return r.Memory
	}
	return unsafe.Add(frame, r.Offset)
}

// Integer reads an integer of a kind as an int. Wide unsigned ones keep their bits.
func Integer(kind reflect.Kind, x Ref) func(unsafe.Pointer) int {
	switch kind {
	case reflect.Int8:
		return readInt[int8](x)
	case reflect.Int16:
		return readInt[int16](x)
	case reflect.Int32:
		return readInt[int32](x)
	case reflect.Uint8:
		return readInt[uint8](x)
	case reflect.Uint16:
		return readInt[uint16](x)
	case reflect.Uint32:
		return readInt[uint32](x)
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return readInt[int](x)
	}
	panic("slot: an integer of kind " + kind.String())
}

//go:noinline
func readInt[T int | int8 | int16 | int32 | uint8 | uint16 | uint32](x Ref) func(unsafe.Pointer) int {
	if x.Memory != nil {
		v := (*T)(x.Memory)
		return func(unsafe.Pointer) int { return int(*v) }
	}
	offset := x.Offset
	return func(f unsafe.Pointer) int { return int(*At[T](f, offset)) }
}

// Slice is a slice as it lies in memory.
type Slice struct {
	Data             unsafe.Pointer
	Length, Capacity int
}
