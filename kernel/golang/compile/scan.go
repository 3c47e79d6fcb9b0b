package compile

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// scans tells whether a function reads into the pointers of its last parameter.
func scans(name string) bool {
	function, ok := strings.CutPrefix(name, "fmt.")
	return ok && strings.Contains(strings.ToLower(function), "scan")
}

// plainly calls a function that scans with pointers to the basic types that those of cells lie in memory as.
func (c *Compiler) plainly(name string, call run.Instr, list uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		args := *at[[]any](f, list)
		plain := make([]any, len(args))
		for i, v := range args {
			plain[i] = v
			rt := reflect.TypeOf(v)
			if rt == nil || rt.Kind() != reflect.Pointer {
				continue
			}
			if typ, ok := c.Types.Back(rt.Elem()); ok && c.hasCell(typ) {
				if c.Methods(rt)["Scan"] != "" {
					panic(message(name + " does not see the method Scan of " + layout.Name(typ) + " of a cell: call it"))
				}
				plain[i] = plainValue(rt.Elem(), reflect.ValueOf(v).UnsafePointer()).Addr().Interface()
			}
		}
		*at[[]any](f, list) = plain
		defer func() { *at[[]any](f, list) = args }()
		call(f)
	}
}
