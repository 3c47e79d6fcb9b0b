// Package fault ends functions of cells as compiled Go ends them: with the panics and words of its runtime.
package fault

import (
	"go/token"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Faults record where the function is and then do what compiled Go would do, so the panic is Go's own value.

// NilPointer ends the function as a nil pointer does.
func NilPointer(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	var p *int
	_ = *p
}

// DivideByZero ends the function as an integer divided by zero does.
func DivideByZero(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	zero := 0
	_ = 1 / zero
}

// NegativeShift ends the function as a negative shift count does.
func NegativeShift(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	n := -1
	_ = 1 << n
}

// Site records where the function is, before something that may panic by itself.
func Site(frame unsafe.Pointer, pos token.Pos) { run.HeadOf(frame).Site = pos }

// Fail ends the function with an error of the runtime that is only a text.
func Fail(frame unsafe.Pointer, pos token.Pos, text string) {
	run.HeadOf(frame).Site = pos
	panic(runtimeError(text))
}

// FailedAssertion ends the function as a failed type assertion does. An empty name stands for no type.
func FailedAssertion(frame unsafe.Pointer, pos token.Pos, inter, concrete, asserted, missing string) {
	run.HeadOf(frame).Site = pos
	panic(assertionError(inter, concrete, asserted, missing))
}

// ShortSlice ends the function as the conversion of a slice to a longer array does.
func ShortSlice(frame unsafe.Pointer, pos token.Pos, length, want int) {
	run.HeadOf(frame).Site = pos
	panic(boundsError(boundsConvert, want, length, true))
}
