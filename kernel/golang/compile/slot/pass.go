package slot

import (
	"reflect"
	"unsafe"
)

// Argument is a value of the caller and its place in the callee's frame.
type Argument struct {
	To, From uintptr
	Type     reflect.Type
}

// Passer copies arguments into a callee's frame.
type Passer func(callee, caller unsafe.Pointer)

// Pass makes the copy of a list of arguments.
func Pass(list []Argument) Passer {
	inWords := true
	for _, a := range list {
		inWords = inWords && ClassOf(a.Type) == Class64
	}
	switch {
	case len(list) == 0:
		return func(_, _ unsafe.Pointer) {}
	case inWords && len(list) == 1:
		a := list[0]
		return func(q, f unsafe.Pointer) { *At[uint64](q, a.To) = *At[uint64](f, a.From) }
	case inWords && len(list) == 2:
		a, b := list[0], list[1]
		return func(q, f unsafe.Pointer) {
			*At[uint64](q, a.To) = *At[uint64](f, a.From)
			*At[uint64](q, b.To) = *At[uint64](f, b.From)
		}
	case len(list) == 1:
		a, move := list[0], MoverOf(list[0].Type)
		return func(q, f unsafe.Pointer) { move(unsafe.Add(q, a.To), unsafe.Add(f, a.From)) }
	}
	moves := make([]Mover, len(list))
	for i, a := range list {
		moves[i] = MoverOf(a.Type)
	}
	return func(q, f unsafe.Pointer) {
		for i, move := range moves {
			move(unsafe.Add(q, list[i].To), unsafe.Add(f, list[i].From))
		}
	}
}
