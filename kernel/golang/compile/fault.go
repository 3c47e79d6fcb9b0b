package compile

import (
	"errors"
	"go/token"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Faults note where the function is and then do what compiled Go would do, so the panic is Go's own value.

func nilPointer(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	var p *int
	_ = *p
}

func divideByZero(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	zero := 0
	_ = 1 / zero
}

func negativeShift(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	n := -1
	_ = 1 << n
}

// site notes where the function is, before something that may panic by itself.
func site(frame unsafe.Pointer, pos token.Pos) { run.HeadOf(frame).Site = pos }

// Reword names the types of cells in the messages of Go's runtime as compiled Go does.
func (c *Compiler) Reword(value any) any {
	err, ok := value.(runtime.Error)
	if !ok {
		return value
	}
	if text := err.Error(); layout.Names(text) {
		return renamed(value, c.Types.Reword(text))
	}
	return value
}

// takesAny tells whether a compiled function may look into values of cells, and so name their types in its errors.
func takesAny(ft reflect.Type) bool {
	for in := range ft.Ins() {
		if in.Kind() == reflect.Slice && ft.IsVariadic() {
			in = in.Elem()
		}
		if in.Kind() == reflect.Interface && in.NumMethod() == 0 {
			return true
		}
	}
	return false
}

// rewordError names the types of cells in an error of a compiled function as compiled Go does.
func (c *Compiler) rewordError(err error) error {
	if _, ok := err.(bridge.Proxy); ok { // of a cell, which words it itself
		return err
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() { // whose method Error may need a value
		return err
	}
	text := err.Error()
	if !layout.Names(text) {
		return err
	}
	text = c.Types.Reword(text)
	if plain := errors.New(text); reflect.TypeOf(plain) == reflect.TypeOf(err) {
		return plain
	}
	return reworded{text, err}
}

// reworded is an error with another text.
type reworded struct {
	text string
	err  error
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.err }

func fail(frame unsafe.Pointer, pos token.Pos, text string) {
	run.HeadOf(frame).Site = pos
	panic(runtimeError(text))
}

func failedAssertion(frame unsafe.Pointer, pos token.Pos, inter, concrete, asserted, missing string) {
	run.HeadOf(frame).Site = pos
	panic(assertionError(inter, concrete, asserted, missing))
}

func shortSlice(frame unsafe.Pointer, pos token.Pos, length, want int) {
	run.HeadOf(frame).Site = pos
	panic(boundsError(boundsConvert, want, length, true))
}
