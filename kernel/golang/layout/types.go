package layout

import (
	"go/types"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/spherelab/spherelab/kernel/golang/forge"
)

// Compiled finds the reflect.Type of a type that a linked package declares.
type Compiled interface {
	Type(path, name string) (reflect.Type, bool)
}

// Types maps types to layouts and back. It is safe for concurrent use.
type Types struct {
	compiled Compiled

	mu   sync.RWMutex
	made typeutil.Map // types.Type -> reflect.Type
	back map[reflect.Type]types.Type
	call Caller
	bare []withMethods // types whose methods are not known to reflection yet
	late []withMethods // types of cells, whose methods may follow in another cell

	learned sync.Map // *types.TypeName -> reflect.Type
}

// New makes an empty table. compiled may be nil: then every named type is a cell's.
func New(compiled Compiled) *Types {
	return &Types{compiled: compiled, back: map[reflect.Type]types.Type{}}
}

// CellPath is the import path of every cell.
const CellPath = "main"

// IsCell reports whether a cell, and not a compiled package, declares the named type. Types of packages that are
// interpreted from source count as a cell's when no compiled type is known.
func (t *Types) IsCell(n *types.Named) bool {
	_, ok := t.compiledType(n)
	return !ok
}

// Learn stores the compiled form of a type that is known only by reflection.
func (t *Types) Learn(name *types.TypeName, rt reflect.Type) { t.learned.Store(name, rt) }

func (t *Types) compiledType(n *types.Named) (reflect.Type, bool) {
	obj := n.Obj()
	if obj.Pkg() == nil {
		return errorType, obj.Name() == "error"
	}
	if rt, ok := t.learned.Load(obj); ok {
		return rt.(reflect.Type), true
	}
	if t.compiled == nil || obj.Pkg().Path() == CellPath || n.TypeArgs().Len() > 0 ||
		obj.Parent() != obj.Pkg().Scope() {
		return nil, false
	}
	return t.compiled.Type(obj.Pkg().Path(), obj.Name())
}

// Caller calls an exported method of a cell's value. Arguments and results lie where the pointers say, as those of a
// signature do.
type Caller func(v any, name string, signature reflect.Type, args, results []unsafe.Pointer)

// withMethods is a type and what was made of it.
type withMethods struct {
	made *forge.Named
	typ  types.Type
}
