package bridge

import (
	"go/types"
	"reflect"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// shown is a type as errors name it.
func (j *JSON) shown(typ types.Type) reflect.Type {
	rt := layout.Unwrapped(j.Types.Of(typ))
	if name := layout.Name(typ); name != rt.String() {
		return namedType{rt, name}
	}
	return rt
}

// Named gives a type with layouts of cells in it the name that it has in cells.
func Named(t *layout.Types, rt reflect.Type) reflect.Type {
	if rt != nil && layout.Names(rt.String()) {
		return namedType{rt, t.Reword(rt.String())}
	}
	return rt
}

// namedType is a layout that says the name of a cell's type.
type namedType struct {
	reflect.Type
	name string
}

func (t namedType) String() string { return t.name }

// refusal is the panic that ends the encoding of a value.
type refusal struct{ error }
