// Package bridge carries values of cells into compiled code: as interfaces with methods, and as text.
package bridge

import (
	"go/types"
	"reflect"
	"unsafe"
)

// Session calls methods of cells and knows their types.
type Session interface {
	// Invoke calls a method. Arguments and results lie where the pointers say, in native layout.
	Invoke(v any, name string, args, results []unsafe.Pointer)
	// Methods lists the exported methods of a type of cells with their signatures.
	Methods(rt reflect.Type) map[string]string
	// Dynamic reads what an interface of a type holds.
	Dynamic(p unsafe.Pointer, typ types.Type) any
	// Look reads a map while no cell changes it, and Change changes one while no cell uses it. Otherwise the cell ends.
	// What they call is short and does not call functions of a cell.
	Look(m reflect.Value, read func())
	Change(m reflect.Value, write func())
	// Still returns what compiled code may walk through instead of a value that other goroutines may change.
	Still(v any) (still any, other bool)
}

// Box is a value of a cell whose methods can be called, also those that a later cell added.
type Box struct {
	V any
	S Session
}

// Call calls a method. Arguments and results lie where the pointers say.
func (b Box) Call(name string, args, results []unsafe.Pointer) { b.S.Invoke(b.V, name, args, results) }

func p[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }

func list(pointers ...unsafe.Pointer) []unsafe.Pointer { return pointers }
