package native

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// orderedSteps make the step of a function of package slices for elements of a basic type. A named type has the memory
// of its basic type, and these functions call no method.
var orderedSteps = map[types.BasicKind]func(name string, a, r []uintptr) run.Instr{
	types.Int: orderedStep[int], types.Int8: orderedStep[int8], types.Int16: orderedStep[int16],
	types.Int32: orderedStep[int32], types.Int64: orderedStep[int64],
	types.Uint: orderedStep[uint], types.Uint8: orderedStep[uint8], types.Uint16: orderedStep[uint16],
	types.Uint32: orderedStep[uint32], types.Uint64: orderedStep[uint64], types.Uintptr: orderedStep[uintptr],
	types.Float32: orderedStep[float32], types.Float64: orderedStep[float64], types.String: orderedStep[string],
}

// ordered are the generic functions that orderedStep has.
var ordered = []string{
	"slices.Sort", "slices.Reverse", "slices.IsSorted", "slices.Max", "slices.Min", "slices.Contains", "slices.Index",
	"slices.Equal", "slices.Compact", "slices.BinarySearch", "cmp.Compare", "cmp.Less",
}

// IsComparison reports whether a function is in the list above, and so short that it needs no check for interrupts.
func IsComparison(f *ssa.Function) bool {
	origin := f.Origin()
	return origin != nil && strings.HasPrefix(origin.String(), "cmp.") && IsOrdered(f)
}

// IsOrdered reports whether there is a compiled instance of a generic function in place of its source: the same code,
// for slices of a basic type.
func IsOrdered(f *ssa.Function) bool {
	origin := f.Origin()
	return origin != nil && slices.Contains(ordered, origin.String()) && orderedSteps[elementKind(f)] != nil
}

// elementKind is the basic kind of a slice's elements, types.Invalid for others.
func elementKind(f *ssa.Function) types.BasicKind {
	args := f.TypeArgs()
	if element, ok := args[len(args)-1].Underlying().(*types.Basic); ok {
		return element.Kind()
	}
	return types.Invalid
}

func orderedStep[T cmp.Ordered](name string, a, r []uintptr) run.Instr {
	list := func(f unsafe.Pointer, i int) []T { return *slot.At[[]T](f, a[i]) }
	value := func(f unsafe.Pointer) T { return *slot.At[T](f, a[1]) }
	switch name {
	case "slices.Sort":
		return func(f unsafe.Pointer) { slices.Sort(list(f, 0)) }
	case "slices.Reverse":
		return func(f unsafe.Pointer) { slices.Reverse(list(f, 0)) }
	case "slices.IsSorted":
		return func(f unsafe.Pointer) { *slot.At[bool](f, r[0]) = slices.IsSorted(list(f, 0)) }
	case "slices.Max":
		return func(f unsafe.Pointer) { *slot.At[T](f, r[0]) = slices.Max(list(f, 0)) }
	case "slices.Min":
		return func(f unsafe.Pointer) { *slot.At[T](f, r[0]) = slices.Min(list(f, 0)) }
	case "slices.Contains":
		return func(f unsafe.Pointer) { *slot.At[bool](f, r[0]) = slices.Contains(list(f, 0), value(f)) }
	case "slices.Index":
		return func(f unsafe.Pointer) { *slot.At[int](f, r[0]) = slices.Index(list(f, 0), value(f)) }
	case "slices.Equal":
		return func(f unsafe.Pointer) { *slot.At[bool](f, r[0]) = slices.Equal(list(f, 0), list(f, 1)) }
	case "slices.Compact":
		return func(f unsafe.Pointer) { *slot.At[[]T](f, r[0]) = slices.Compact(list(f, 0)) }
	case "cmp.Compare":
		x, y, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = cmp.Compare(*slot.At[T](f, x), *slot.At[T](f, y)) }
	case "cmp.Less":
		x, y, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) { *slot.At[bool](f, d) = cmp.Less(*slot.At[T](f, x), *slot.At[T](f, y)) }
	case "slices.BinarySearch":
		return func(f unsafe.Pointer) {
			*slot.At[int](f, r[0]), *slot.At[bool](f, r[1]) = slices.BinarySearch(list(f, 0), value(f))
		}
	}
	panic("native: no step of " + name)
}
