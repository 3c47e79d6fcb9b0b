// Package native calls functions of linked packages, and has replacements for functions that block, end the cell, or
// look into values of cells.
package native

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
)

// Functions finds functions and variables of linked packages.
type Functions interface {
	Value(path, name string) (reflect.Value, bool)
}

// Session is what replacements of compiled functions need from a session.
type Session struct {
	*dynamic.Values
	// Show takes the value of a cell's last expression.
	Show    func(values []any)
	library Functions
	natives map[string]function
}

// function is a Go function that replaces a function of a package. Arguments and results are in the layout of its
// signature.
type function func(s *Session, frame unsafe.Pointer, args []reflect.Value) []reflect.Value

func (s *Session) printer() *bridge.Printer { return &bridge.Printer{S: s.Values, Types: s.Types} }

// Text returns a value as fmt.Sprint prints it in compiled Go.
func (s *Session) Text(v any) string { return s.printer().Text([]any{v}) }
