// Package layout maps the types of cells to memory layouts. For every types.Type there is a reflect.Type of the same
// size, alignment and pointers, so that values of cells are laid out in memory as in compiled Go.
//
// A type that a cell declares has a tag that names the declaration, so the reflect.Type is distinct: type switches, ==
// and keys of maps in an `any` agree with Go. A struct has it at its first field. Any other type becomes a struct of
// one field, which has the layout of the underlying type. Interfaces that cells declare have the layout of `any`;
// compiled ones keep their own form.
//
// The types that reflection makes are never freed. Types of equal form are shared.
package layout

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"sync"

	"golang.org/x/tools/go/types/typeutil"
)

// Compiled finds the reflect.Type of a type that a linked package declares.
type Compiled interface {
	Type(path, name string) (reflect.Type, bool)
}

// Types maps types to layouts and back. It is safe for concurrent use.
type Types struct {
	compiled Compiled

	mu     sync.RWMutex
	made   typeutil.Map // types.Type -> reflect.Type, complete ones
	back   map[reflect.Type]types.Type
	open   map[*types.TypeName]int // cell types whose layout is being made, by depth
	serial int
	tags   typeutil.Map // *types.Named of cells -> tag

	learned sync.Map // *types.TypeName -> reflect.Type
}

// New makes an empty table. compiled may be nil: then every named type is a cell's.
func New(compiled Compiled) *Types {
	return &Types{compiled: compiled, back: map[reflect.Type]types.Type{}, open: map[*types.TypeName]int{}}
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

var (
	errorType  = reflect.TypeFor[error]()
	anyType    = reflect.TypeFor[any]()
	opaque     = reflect.TypeFor[opaqueElem]()
	opaqueFunc = reflect.TypeFor[func(opaqueElem)]()
	opaqueMap  = reflect.TypeFor[map[opaqueElem]opaqueElem]()
)

// opaqueElem stands for a type whose layout is not known yet, below a pointer of any kind.
type opaqueElem struct{}

// Of returns the layout of a type. It panics on a type parameter: only instances have a layout.
func (t *Types) Of(typ types.Type) reflect.Type {
	t.mu.RLock()
	r := t.made.At(typ)
	t.mu.RUnlock()
	if r != nil {
		return r.(reflect.Type)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer clear(t.open) // a panic in between leaves it unchanged
	rt, _ := t.of(typ)
	return rt
}

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

// of makes a layout. complete is false where it stands on a type whose own layout is not finished; such a layout has
// the right size and pointers but is not the type's own, and is not kept.
func (t *Types) of(typ types.Type) (rt reflect.Type, complete bool) {
	if r := t.made.At(typ); r != nil {
		return r.(reflect.Type), true
	}
	rt, complete = t.make(typ)
	if complete {
		t.made.Set(typ, rt)
		if _, ok := t.back[rt]; !ok {
			t.back[rt] = types.Unalias(typ)
		}
	}
	return rt, complete
}

func (t *Types) make(typ types.Type) (reflect.Type, bool) {
	switch typ := typ.(type) {
	case *types.Alias:
		return t.of(types.Unalias(typ))
	case *types.Named:
		return t.layoutNamed(typ)
	case *types.Basic:
		return basic(typ), true
	case *types.Pointer:
		elem, ok := t.behind(typ.Elem())
		return reflect.PointerTo(elem), ok
	case *types.Slice:
		elem, ok := t.behind(typ.Elem())
		return reflect.SliceOf(elem), ok
	case *types.Array:
		elem, ok := t.of(typ.Elem())
		return reflect.ArrayOf(int(typ.Len()), elem), ok
	case *types.Map:
		key, ok := t.behind(typ.Key())
		elem, also := t.behind(typ.Elem())
		if !ok || !also {
			return opaqueMap, false
		}
		return reflect.MapOf(key, elem), true
	case *types.Chan:
		elem, ok := t.behind(typ.Elem())
		return reflect.ChanOf(direction(typ.Dir()), elem), ok
	case *types.Signature:
		return t.signature(typ)
	case *types.Struct:
		return t.structure(typ)
	case *types.Interface:
		return t.iface(typ), true
	case *types.Tuple:
		return t.tuple(typ)
	}
	panic(fmt.Sprintf("layout: no layout for %T %s", typ, typ))
}

// behind is the layout of what a pointer of any kind leads to. While a cell's type is made, what leads back to it is
// opaque: reflection cannot make recursive types.
func (t *Types) behind(typ types.Type) (reflect.Type, bool) {
	if len(t.open) > 0 && t.reaches(typ, map[types.Type]bool{}) {
		return opaque, false
	}
	return t.of(typ)
}

// reaches reports whether a type depends, directly or through others, on a type that is being made.
func (t *Types) reaches(typ types.Type, seen map[types.Type]bool) bool {
	typ = types.Unalias(typ)
	if seen[typ] || t.made.At(typ) != nil {
		return false
	}
	seen[typ] = true
	switch typ := typ.(type) {
	case *types.Named:
		if t.open[typ.Obj()] > 0 {
			return true
		}
		if _, ok := t.compiledType(typ); ok {
			return false
		}
		return t.reaches(typ.Underlying(), seen)
	case *types.Pointer:
		return t.reaches(typ.Elem(), seen)
	case *types.Slice:
		return t.reaches(typ.Elem(), seen)
	case *types.Array:
		return t.reaches(typ.Elem(), seen)
	case *types.Chan:
		return t.reaches(typ.Elem(), seen)
	case *types.Map:
		return t.reaches(typ.Key(), seen) || t.reaches(typ.Elem(), seen)
	case *types.Struct:
		for f := range typ.Fields() {
			if t.reaches(f.Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		for v := range typ.Params().Variables() {
			if t.reaches(v.Type(), seen) {
				return true
			}
		}
		for v := range typ.Results().Variables() {
			if t.reaches(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}

func (t *Types) layoutNamed(n *types.Named) (reflect.Type, bool) {
	if rt, ok := t.compiledType(n); ok {
		return rt, true
	}
	if n.Obj().Pkg() == nil { // comparable, in constraints only
		return anyType, true
	}
	if n.Obj().Name() == "deferStack" && n.Obj().Parent() == nil {
		return reflect.TypeFor[*int](), true // what go/ssa calls the list of a function's deferred calls
	}
	t.open[n.Obj()]++
	var fields []reflect.StructField
	var ok bool
	if s, isStruct := n.Underlying().(*types.Struct); isStruct && s.NumFields() > 0 {
		fields, ok = t.fields(s)
		fields[0].Tag = reflect.StructTag(declaredTag+`:"`+t.tag(n)+`" `) + fields[0].Tag
	} else {
		var under reflect.Type
		under, ok = t.of(n.Underlying())
		tag := reflect.StructTag(wrapperTag + `:"` + t.tag(n) + `"`)
		fields = []reflect.StructField{{Name: "V", Type: under, Tag: tag}}
	}
	t.open[n.Obj()]--
	if t.open[n.Obj()] == 0 {
		delete(t.open, n.Obj())
	}
	if len(t.open) == 0 {
		ok = true // what is opaque below leads back to this type alone
	}
	return reflect.StructOf(fields), ok
}

// tag names a declaration. It is the same for identical instances of a generic type.
func (t *Types) tag(n *types.Named) string {
	if tag := t.tags.At(n); tag != nil {
		return tag.(string)
	}
	t.serial++
	tag := n.Obj().Name() + "·" + strconv.Itoa(t.serial)
	t.tags.Set(n, tag)
	return tag
}

func (t *Types) signature(s *types.Signature) (reflect.Type, bool) {
	var in, out []reflect.Type
	complete := true
	for v := range s.Params().Variables() {
		rt, ok := t.behind(v.Type())
		in, complete = append(in, rt), complete && ok
	}
	for v := range s.Results().Variables() {
		rt, ok := t.behind(v.Type())
		out, complete = append(out, rt), complete && ok
	}
	if !complete {
		return opaqueFunc, false
	}
	return reflect.FuncOf(in, out, s.Variadic()), true
}

func (t *Types) structure(s *types.Struct) (reflect.Type, bool) {
	fields, complete := t.fields(s)
	return reflect.StructOf(fields), complete
}

func (t *Types) fields(s *types.Struct) ([]reflect.StructField, bool) {
	fields := make([]reflect.StructField, s.NumFields())
	complete := true
	for i := range fields {
		f := s.Field(i)
		rt, ok := t.of(f.Type())
		complete = complete && ok
		fields[i] = reflect.StructField{Name: f.Name(), Type: rt, Tag: reflect.StructTag(s.Tag(i))}
		if !f.Exported() {
			fields[i].PkgPath = CellPath
			if f.Pkg() != nil {
				fields[i].PkgPath = f.Pkg().Path()
			}
		}
		switch {
		case f.Embedded() && f.Exported() && plainStruct(rt):
			fields[i].Anonymous = true
		case f.Embedded():
			fields[i].Tag += embeddedTag + `:""`
		}
	}
	samePath(fields)
	return fields, complete
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
	return reflect.StructOf([]reflect.StructField{{
		Name: "V", Type: anyType, Tag: reflect.StructTag(wrapperTag + ":" + strconv.Quote(types.TypeString(i, nil))),
	}})
}

// tuple lays the results of a call out one after the other.
func (t *Types) tuple(tuple *types.Tuple) (reflect.Type, bool) {
	fields := make([]reflect.StructField, tuple.Len())
	complete := true
	for i := range fields {
		rt, ok := t.of(tuple.At(i).Type())
		complete = complete && ok
		fields[i] = reflect.StructField{Name: "R" + strconv.Itoa(i), Type: rt}
	}
	return reflect.StructOf(fields), complete
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

// Plain is the layout of what a type stands for. A type that leads back to itself shows it: inside its own layout that
// place is opaque.
func (t *Types) Plain(typ types.Type) reflect.Type { return Unwrapped(t.Of(typ.Underlying())) }
