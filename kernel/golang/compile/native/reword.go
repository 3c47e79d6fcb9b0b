package native

import (
	"errors"
	"reflect"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// takesAny reports whether a compiled function may look into values of cells, and so name their types in its errors.
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
func (s *Session) rewordError(err error) error {
	if _, ok := err.(bridge.Proxy); ok { // of a cell, which words it itself
		return err
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() { // whose method Error may need a value
		return err
	}
	text := err.Error()
	if !layout.ContainsName(text) {
		return err
	}
	text = s.Types.Reword(text)
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
