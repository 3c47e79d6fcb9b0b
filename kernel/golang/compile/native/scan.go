package native

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// replacementFor returns what replaces the values in the last argument, a list, of a compiled function by its name in
// SSA. It returns nil for functions that get the values themselves.
func (s *Session) replacementFor(name string) func(v any) any {
	switch function, ok := strings.CutPrefix(name, "fmt."); {
	case ok && strings.Contains(strings.ToLower(function), "scan"):
		return func(v any) any { return s.scanTarget(name, v) }
	case sqlScans[name]:
		return s.fillTarget
	case sqlTakes[name]:
		return func(v any) any { return s.storedForm(name, v) }
	}
	return nil
}

// replaceList returns a step that makes a call with another list of arguments.
//
//go:noinline
func replaceList(change func(any) any, call run.Instr, list uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		args := *slot.At[[]any](f, list)
		other := make([]any, len(args))
		for i, v := range args {
			other[i] = change(v)
		}
		*slot.At[[]any](f, list) = other
		defer func() { *slot.At[[]any](f, list) = args }()
		call(f)
	}
}

// scanTarget returns a pointer to the basic type that a cell's type lies in memory as.
func (s *Session) scanTarget(name string, v any) any {
	rt := reflect.TypeOf(v)
	if rt == nil || rt.Kind() != reflect.Pointer {
		return v
	}
	typ, ok := s.Types.CellType(rt.Elem())
	if !ok || !s.HasCell(typ) {
		return v
	}
	if s.Methods(rt)["Scan"] != "" {
		panic(fault.Message(name + " does not see the method Scan of " + layout.Name(typ) + " of a cell: call it"))
	}
	return dynamic.Plain(rt.Elem(), reflect.ValueOf(v).UnsafePointer()).Addr().Interface()
}
