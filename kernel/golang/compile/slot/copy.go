package slot

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Mover copies a value of one layout.
type Mover func(to, from unsafe.Pointer)

// MoverOf returns the copy of a layout.
func MoverOf(rt reflect.Type) Mover {
	switch ClassOf(rt) {
	case ClassZero:
		return func(to, from unsafe.Pointer) {}
	case Class8:
		return Move[uint8]
	case Class16:
		return Move[uint16]
	case Class32:
		return Move[uint32]
	case Class64:
		return Move[uint64]
	case ClassPointer:
		return Move[unsafe.Pointer]
	case ClassString:
		return Move[string]
	case ClassSlice:
		return Move[[]byte]
	case ClassInterface:
		return Move[[2]unsafe.Pointer]
	case ClassBytes:
		size := rt.Size()
		if move := wordMovers[size]; move != nil && uintptr(rt.Align()) == wordSize {
			return move
		}
		return func(to, from unsafe.Pointer) {
			copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		}
	}
	blanks := layout.Blanks(rt)
	if len(blanks) == 0 {
		if move := mixedMover(rt); move != nil {
			return move
		}
		return func(to, from unsafe.Pointer) { reflect.NewAt(rt, to).Elem().Set(reflect.NewAt(rt, from).Elem()) }
	}
	return func(to, from unsafe.Pointer) {
		reflect.NewAt(rt, to).Elem().Set(reflect.NewAt(rt, from).Elem())
		for _, b := range blanks {
			reflect.NewAt(b.Type, unsafe.Add(to, b.Offset)).Elem().SetZero()
		}
	}
}

const wordSize = unsafe.Sizeof(uintptr(0))

// wordMovers copy small values without pointers, by their size.
var wordMovers = map[uintptr]Mover{
	2 * wordSize: Move[[2]uintptr], 3 * wordSize: Move[[3]uintptr], 4 * wordSize: Move[[4]uintptr],
}

// mixedMover copies a small value word by word. It returns nil for values of another size.
func mixedMover(rt reflect.Type) Mover {
	const maxWords = 8
	if rt.Size()%wordSize != 0 || rt.Size() > maxWords*wordSize {
		return nil
	}
	words := make([]bool, rt.Size()/wordSize) // that are pointers
	for _, offset := range Pointers(rt, 0, nil) {
		words[offset/wordSize] = true
	}
	return func(to, from unsafe.Pointer) {
		for i, isPointer := range words {
			at := uintptr(i) * wordSize
			if isPointer {
				Move[unsafe.Pointer](unsafe.Add(to, at), unsafe.Add(from, at))
			} else {
				Move[uintptr](unsafe.Add(to, at), unsafe.Add(from, at))
			}
		}
	}
}

// Move copies a value of type T.
func Move[T any](to, from unsafe.Pointer) { *(*T)(to) = *(*T)(from) }

// Class sorts layouts by how they are copied.
type Class uint8

const (
	ClassOther Class = iota
	ClassZero
	Class8
	Class16
	Class32
	Class64
	ClassPointer
	ClassString
	ClassSlice
	ClassInterface
	ClassBytes // any size, no pointers
)

// ClassOf returns the class of a layout.
func ClassOf(rt reflect.Type) Class {
	if rt.Size() == 0 {
		return ClassZero
	}
	if len(layout.Blanks(rt)) > 0 {
		return ClassOther
	}
	if !layout.Pointers(rt) {
		natural := uintptr(rt.Align()) == rt.Size()
		switch {
		case rt.Size() == 1:
			return Class8
		case rt.Size() == 2 && natural:
			return Class16
		case rt.Size() == 4 && natural:
			return Class32
		case rt.Size() == 8 && natural:
			return Class64
		}
		return ClassBytes
	}
	if layout.IsDirect(rt) {
		return ClassPointer
	}
	switch rt.Kind() {
	case reflect.String:
		return ClassString
	case reflect.Slice:
		return ClassSlice
	case reflect.Interface:
		return ClassInterface
	case reflect.Struct:
		if rt.NumField() == 1 {
			return ClassOf(rt.Field(0).Type)
		}
	}
	return ClassOther
}

// ViewerOf returns a function that does what reflect.NewAt(rt, p).Elem() does, without a search for the pointer's type.
func ViewerOf(rt reflect.Type) func(p unsafe.Pointer) reflect.Value {
	word := layout.TypeWord(reflect.PointerTo(rt))
	return func(p unsafe.Pointer) reflect.Value {
		var v any
		*(*layout.Eface)(unsafe.Pointer(&v)) = layout.Eface{Type: word, Data: p}
		return reflect.ValueOf(v).Elem()
	}
}

// ClearerOf zeroes a value of one layout.
func ClearerOf(rt reflect.Type) func(unsafe.Pointer) {
	zero, copyIt := reflect.New(rt).UnsafePointer(), MoverOf(rt)
	return func(p unsafe.Pointer) { copyIt(p, zero) }
}

// Copy copies a value inside the frame.
func Copy(rt reflect.Type, to, from uintptr) run.Instr {
	switch ClassOf(rt) {
	case ClassZero:
		return nil
	case Class8:
		return CopyAs[uint8](to, from)
	case Class32:
		return CopyAs[uint32](to, from)
	case Class64:
		return CopyAs[uint64](to, from)
	case ClassPointer:
		return CopyAs[unsafe.Pointer](to, from)
	case ClassString:
		return CopyAs[string](to, from)
	case ClassSlice:
		return CopyAs[[]byte](to, from)
	case ClassInterface:
		return CopyAs[[2]unsafe.Pointer](to, from)
	}
	move := MoverOf(rt)
	return func(f unsafe.Pointer) { move(unsafe.Add(f, to), unsafe.Add(f, from)) }
}

// CopyAs copies a value of type T inside the frame.
//
//go:noinline
func CopyAs[T any](to, from uintptr) run.Instr {
	return func(f unsafe.Pointer) { *At[T](f, to) = *At[T](f, from) }
}
