// Package layout maps the types of cells to memory layouts. For every types.Type there is a reflect.Type of the same
// size, alignment and pointers, so that values of cells are laid out in memory as in compiled Go.
//
// A type that a cell declares is one that package forge makes: with its name, its tags and its exported methods, which
// compiled code can call. Interfaces that cells declare have the layout of `any`, and no methods for reflection;
// compiled ones keep their own form.
//
// The types that reflection makes are never freed. Types of equal form are shared.
package layout

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"

	"github.com/spherelab/spherelab/kernel/golang/forge"
)

// CellType returns the type that a layout was made for; false for compiled types that no cell has named.
func (t *Types) CellType(rt reflect.Type) (types.Type, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.cellTypeOf(rt)
}

func (t *Types) cellTypeOf(rt reflect.Type) (types.Type, bool) {
	if typ, ok := t.back[rt]; ok {
		return typ, true
	}
	if rt.Name() != "" || rt.PkgPath() != "" {
		return nil, false
	}
	switch rt.Kind() {
	case reflect.Pointer:
		if elem, ok := t.cellTypeOf(rt.Elem()); ok {
			return types.NewPointer(elem), true
		}
	case reflect.Slice:
		if elem, ok := t.cellTypeOf(rt.Elem()); ok {
			return types.NewSlice(elem), true
		}
	case reflect.Array:
		if elem, ok := t.cellTypeOf(rt.Elem()); ok {
			return types.NewArray(elem, int64(rt.Len())), true
		}
	case reflect.Map:
		key, ok := t.cellTypeOf(rt.Key())
		if elem, also := t.cellTypeOf(rt.Elem()); ok && also {
			return types.NewMap(key, elem), true
		}
	}
	return nil, false
}

// of makes a layout.
func (t *Types) of(typ types.Type) reflect.Type {
	if r := t.made.At(typ); r != nil {
		return r.(reflect.Type)
	}
	rt := t.make(typ)
	t.made.Set(typ, rt)
	if _, ok := t.back[rt]; !ok {
		t.back[rt] = types.Unalias(typ)
	}
	return rt
}

func (t *Types) make(typ types.Type) reflect.Type {
	switch typ := typ.(type) {
	case *types.Alias:
		return t.of(types.Unalias(typ))
	case *types.Named:
		return t.named(typ)
	case *types.Basic:
		return basic(typ)
	case *types.Pointer:
		return reflect.PointerTo(t.of(typ.Elem()))
	case *types.Slice:
		return reflect.SliceOf(t.of(typ.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(typ.Len()), t.of(typ.Elem()))
	case *types.Map:
		return reflect.MapOf(t.of(typ.Key()), t.of(typ.Elem()))
	case *types.Chan:
		return reflect.ChanOf(direction(typ.Dir()), t.of(typ.Elem()))
	case *types.Signature:
		return t.signature(typ)
	case *types.Struct:
		return t.structure(typ)
	case *types.Interface:
		return t.iface(typ)
	case *types.Tuple:
		return t.tuple(typ)
	}
	panic(fmt.Sprintf("layout: no layout for %T %s", typ, typ))
}

// named is the layout of a type with a name. A cell's is known before what it leads to is made, so that it may lead
// back to itself.
func (t *Types) named(n *types.Named) reflect.Type {
	if rt, ok := t.compiledType(n); ok {
		return rt
	}
	if n.Obj().Pkg() == nil { // comparable, in constraints only
		return anyType
	}
	if n.Obj().Name() == "deferStack" && n.Obj().Parent() == nil {
		return reflect.TypeFor[*int]() // what go/ssa calls the list of a function's deferred calls
	}
	made := t.declare(n, n.Obj().Pkg().Path())
	switch u := n.Underlying().(type) {
	case *types.Struct:
		t.setFields(made, u)
	case *types.Interface:
		made.Become(anyType)
	default:
		made.Become(t.of(u))
	}
	return made.Type
}

// declare makes a type that is not known to reflection, as far as it is known before what it leads to. Without a path
// it has no name.
func (t *Types) declare(typ types.Type, path string) *forge.Named {
	d := forge.Declaration{Name: Name(typ), Path: path, IsNamed: path != "",
		IsFinal: path != "" && path != CellPath, Form: t.form(typ.Underlying())}
	if s, ok := typ.Underlying().(*types.Signature); ok {
		d.Parameters = s.Params().Len() + s.Results().Len()
	}
	made := forge.Declare(d)
	t.made.Set(typ, made.Type)
	t.back[made.Type] = typ
	t.bare = append(t.bare, withMethods{made, typ})
	return made
}

func (t *Types) setFields(made *forge.Named, s *types.Struct) {
	fields := make([]forge.Field, s.NumFields())
	for i := range fields {
		f := s.Field(i)
		fields[i] = forge.Field{Name: f.Name(), Tag: s.Tag(i), Type: t.of(f.Type()), IsEmbedded: f.Embedded()}
	}
	made.Fields(pathOf(s), fields)
}

func (t *Types) signature(s *types.Signature) reflect.Type {
	var in, out []reflect.Type
	for v := range s.Params().Variables() {
		in = append(in, t.of(v.Type()))
	}
	for v := range s.Results().Variables() {
		out = append(out, t.of(v.Type()))
	}
	return reflect.FuncOf(in, out, s.Variadic())
}

// pathOf is the package of the fields of a struct that are not exported; empty if all are.
func pathOf(s *types.Struct) (path string) {
	for f := range s.Fields() {
		if !f.Exported() {
			path = CellPath
			if f.Pkg() != nil {
				return f.Pkg().Path()
			}
		}
	}
	return path
}

func (t *Types) structure(s *types.Struct) reflect.Type {
	for f := range s.Fields() {
		if f.Embedded() { // which reflection makes in a few cases only
			made := t.declare(s, "")
			t.setFields(made, s)
			return made.Type
		}
	}
	fields := make([]reflect.StructField, s.NumFields())
	for i := range fields {
		f := s.Field(i)
		rt := t.of(f.Type())
		fields[i] = reflect.StructField{Name: f.Name(), Type: rt, Tag: reflect.StructTag(s.Tag(i))}
		if !f.Exported() {
			fields[i].PkgPath = pathOf(s) // reflection takes one package for all
		}
	}
	return reflect.StructOf(fields)
}

// IsEface reports whether an interface of this type has the layout of `any`. It does unless a compiled package declares
// it.
func (t *Types) IsEface(typ types.Type) bool {
	if n, ok := types.Unalias(typ).(*types.Named); ok {
		if rt, ok := t.compiledType(n); ok {
			return rt.NumMethod() == 0
		}
	}
	return true
}

func (t *Types) iface(i *types.Interface) reflect.Type {
	if i.NumMethods() == 0 {
		return anyType
	}
	made := forge.Declare(forge.Declaration{Name: Name(i), Form: anyType})
	made.Become(anyType)
	return made.Type
}

// tuple lays the results of a call out one after the other.
func (t *Types) tuple(tuple *types.Tuple) reflect.Type {
	fields := make([]reflect.StructField, tuple.Len())
	for i := range fields {
		fields[i] = reflect.StructField{Name: "R" + strconv.Itoa(i), Type: t.of(tuple.At(i).Type())}
	}
	return reflect.StructOf(fields)
}

func direction(d types.ChanDir) reflect.ChanDir {
	switch d {
	case types.SendOnly:
		return reflect.SendDir
	case types.RecvOnly:
		return reflect.RecvDir
	}
	return reflect.BothDir
}
