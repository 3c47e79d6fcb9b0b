package bridge

import (
	"go/types"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// JSON prepares values of cells for package encoding/json, which sees neither their methods nor their real types behind
// the layout. It is for one call.
type JSON struct {
	S       Session
	Types   *layout.Types
	structs map[types.Type][]jsonField // their fields
}

// needsHelp reports whether encoding/json needs help with a type.
func (j *JSON) needsHelp(typ types.Type, seen map[types.Type]bool) bool {
	typ = types.Unalias(typ)
	if seen[typ] {
		return false
	}
	seen[typ] = true
	switch t := typ.(type) {
	case *types.Named:
		return j.Types.IsCell(t) || types.IsInterface(t)
	case *types.Pointer:
		return j.needsHelp(t.Elem(), seen)
	case *types.Slice:
		return j.needsHelp(t.Elem(), seen)
	case *types.Array:
		return j.needsHelp(t.Elem(), seen)
	case *types.Map:
		return j.needsHelp(t.Key(), seen) || j.needsHelp(t.Elem(), seen)
	case *types.Struct, *types.Interface:
		return true
	}
	return false
}

// refusal is the panic that ends the encoding of a value.
type refusal struct{ error }

// jsonField is a field of a struct as encoding/json reads it.
type jsonField struct {
	name     string
	typ      types.Type
	isQuoted bool
	options  string   // of the tag
	path     []step   // from the struct to the field
	via      []string // names of the embedded structs on this path
	isTagged bool
}

// step leads to an embedded struct, or to the field itself.
type step struct {
	index    int
	offset   uintptr
	elem     types.Type // of an embedded pointer: what is allocated if it is nil
	isSealed bool       // the pointer's type is not exported: nothing is allocated
}
