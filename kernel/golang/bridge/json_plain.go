package bridge

import (
	"encoding/json"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// plainType is the type by which encoding/json treats the memory of a cell's value as it would treat the value: without
// the marks of cells. There is none where encoding/json would ask methods of a cell.
type plainType struct {
	*JSON
	decodes bool
	open    map[types.Type]bool // that are being looked at
}

// of returns the plain type of a type.
func (p plainType) of(typ types.Type) (reflect.Type, bool) {
	typ = types.Unalias(typ)
	switch t := typ.(type) {
	case *types.Named:
		if types.IsInterface(t) {
			return nil, false
		}
		if !p.Types.IsCell(t) {
			return p.Types.Of(t), true
		}
		if p.open[t] || p.hasMethods(t) {
			return nil, false
		}
		p.open[t] = true
		defer delete(p.open, t)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			return p.structure(u, p.Types.Of(t))
		case *types.Pointer: // the option string looks through pointers without a name
			return nil, false
		}
		return p.of(t.Underlying())
	case *types.Basic:
		const numbers = types.IsInteger | types.IsFloat
		return p.Types.Of(t), t.Info()&(types.IsBoolean|types.IsString|numbers) != 0
	case *types.Pointer:
		elem, ok := p.of(t.Elem())
		return behind(ok, reflect.PointerTo, elem)
	case *types.Slice:
		elem, ok := p.of(t.Elem())
		return behind(ok, reflect.SliceOf, elem)
	case *types.Array:
		elem, ok := p.of(t.Elem())
		return behind(ok, func(rt reflect.Type) reflect.Type { return reflect.ArrayOf(int(t.Len()), rt) }, elem)
	case *types.Map: // encoding/json would read it while others change it
		if _, named := types.Unalias(t.Key()).(*types.Named); named || !p.decodes {
			return nil, false
		}
		key, ok := p.of(t.Key())
		elem, also := p.of(t.Elem())
		return behind(ok && also, func(rt reflect.Type) reflect.Type { return reflect.MapOf(key, rt) }, elem)
	case *types.Interface:
		return p.Types.Of(t), p.decodes && t.Empty()
	case *types.Struct:
		return p.structure(t, p.Types.Of(t))
	}
	return nil, false
}

func behind(ok bool, make func(reflect.Type) reflect.Type, elem reflect.Type) (reflect.Type, bool) {
	if !ok {
		return nil, false
	}
	return make(elem), true
}

// hasMethods reports whether encoding/json asks a method of a cell's type.
func (p plainType) hasMethods(t *types.Named) bool {
	methods := p.S.Methods(reflect.PointerTo(p.Types.Of(t)))
	for _, name := range []string{"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText", "IsZero"} {
		if methods[name] != "" {
			return true
		}
	}
	return false
}

// structure makes the plain type of a struct. It has the same places in memory.
func (p plainType) structure(s *types.Struct, rt reflect.Type) (reflect.Type, bool) {
	if s.NumFields() == 0 || len(layout.Blanks(rt)) > 0 {
		return nil, false
	}
	fields, same := make([]reflect.StructField, s.NumFields()), true
	for i := range fields {
		if s.Field(i).Embedded() {
			return nil, false
		}
		fields[i] = rt.Field(i)
		if fields[i].PkgPath != "" { // which encoding/json leaves out
			continue
		}
		plain, ok := p.of(s.Field(i).Type())
		if !ok {
			return nil, false
		}
		same = same && plain == fields[i].Type
		fields[i].Type, fields[i].Tag = plain, reflect.StructTag(s.Tag(i))
	}
	if same {
		return rt, true
	}
	out := reflect.StructOf(fields)
	for i := range fields {
		if out.Field(i).Offset != rt.Field(i).Offset {
			return nil, false
		}
	}
	return out, out.Size() == rt.Size()
}

// isWhole reports whether other memory can take the place of a value's: nothing in the value belongs to its methods
// alone, as a mutex does. If it is not zero, it may also not lead to memory that is then filled.
func isWhole(rt reflect.Type, isZero bool) bool {
	switch rt.Kind() {
	case reflect.Struct:
		for f := range rt.Fields() {
			if f.PkgPath != "" || !isWhole(f.Type, isZero) {
				return false
			}
		}
		return true
	case reflect.Array:
		return isWhole(rt.Elem(), isZero)
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return isZero
	}
	return true
}

// encodePlain encodes a value of a cell that encoding/json can encode itself.
func (j *JSON) encodePlain(v any, encode func(any) error) (done bool, err error) {
	typ, ok := j.Types.CellType(reflect.TypeOf(v))
	if !ok {
		return false, nil
	}
	rt, ok := plainType{j, false, map[types.Type]bool{}}.of(typ)
	if !ok {
		return false, nil
	}
	memory := reflect.New(reflect.TypeOf(v))
	memory.Elem().Set(reflect.ValueOf(v))
	return true, encode(reflect.NewAt(rt, memory.UnsafePointer()).Elem().Interface())
}

// decodePlain reads what encoding/json can read itself. It reads into other memory, which then takes the place of the
// target's, so that nothing has happened where it cannot.
func (j *JSON) decodePlain(data []byte, target unsafe.Pointer, typ types.Type, how Reading) (done bool) {
	if how.Number {
		return false
	}
	rt, ok := plainType{j, true, map[types.Type]bool{}}.of(typ)
	if !ok {
		return false
	}
	into, memory := reflect.NewAt(rt, target).Elem(), reflect.New(rt)
	switch {
	case into.IsZero() && isWhole(rt, true):
	case isWhole(rt, false):
		memory.Elem().Set(into)
	default:
		return false
	}
	if read := fillerOf(rt); read != nil {
		t := &text{data: data, strict: how.Strict}
		if !read(t, memory.UnsafePointer()) || !t.atEnd() {
			return false
		}
	} else if how.Strict || json.Unmarshal(data, memory.Interface()) != nil {
		return false
	}
	into.Set(memory.Elem())
	return true
}
