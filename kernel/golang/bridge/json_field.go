package bridge

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// jsonField is a field of a struct as encoding/json reads it.
type jsonField struct {
	name   string
	typ    types.Type
	quoted bool
	path   []step   // from the struct to the field
	via    []string // names of the embedded structs on this path
	tagged bool
}

// step leads to an embedded struct, or to the field itself.
type step struct {
	offset uintptr
	elem   types.Type // of an embedded pointer: what is made where it is nil
	sealed bool       // the pointer's type is not exported: nothing is made
}

// fields lists the fields of a struct. Of several with one name, the one that is embedded least counts, then the one
// whose name a tag gives, else none.
func (j *JSON) fields(typ types.Type) []jsonField {
	all := map[string][]jsonField{}
	var names []string
	var visit func(typ types.Type, path []step, via []string, depth int)
	visit = func(typ types.Type, path []step, via []string, depth int) {
		u, rt := typ.Underlying().(*types.Struct), layout.Unwrapped(j.Types.Of(typ))
		const most = 8
		if depth > most {
			return
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			tag := reflect.StructTag(u.Tag(i)).Get("json")
			name, options := named(tag)
			inner := embedded(f.Type())
			if tag == "-" || !f.Exported() && (!f.Embedded() || inner == nil) {
				continue
			}
			here := step{offset: rt.Field(i).Offset}
			if f.Embedded() && inner != nil && name == "" {
				if _, ok := f.Type().Underlying().(*types.Pointer); ok {
					here.elem, here.sealed = inner, !f.Exported()
				}
				visit(inner, append(slices.Clone(path), here), append(slices.Clone(via), f.Name()), depth+1)
				continue
			}
			field := jsonField{name: name, typ: f.Type(), tagged: name != "", path: append(slices.Clone(path), here), via: via}
			if name == "" {
				field.name = f.Name()
			}
			field.quoted = slices.Contains(strings.Split(options, ","), "string") && quotes(f.Type())
			if all[field.name] == nil {
				names = append(names, field.name)
			}
			all[field.name] = append(all[field.name], field)
		}
	}
	visit(typ, nil, nil, 0)
	var out []jsonField
	for _, name := range names {
		if f, ok := dominant(all[name]); ok {
			out = append(out, f)
		}
	}
	return out
}

// named splits a tag. A name with other signs than encoding/json takes counts as none.
func named(tag string) (name, options string) {
	name, options, _ = strings.Cut(tag, ",")
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return "", options
		}
	}
	return name, options
}

// quotes tells whether text may hold a value of the type, or one that it points at.
func quotes(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

func dominant(list []jsonField) (jsonField, bool) {
	slices.SortStableFunc(list, func(a, b jsonField) int {
		if len(a.path) != len(b.path) {
			return len(a.path) - len(b.path)
		}
		return btoi(b.tagged) - btoi(a.tagged)
	})
	if len(list) > 1 && len(list[0].path) == len(list[1].path) && list[0].tagged == list[1].tagged {
		return jsonField{}, false
	}
	return list[0], true
}

// find gives the field for a key: of that name, else of that name in other case.
func find(fields []jsonField, key string) (jsonField, bool) {
	for _, f := range fields {
		if f.name == key {
			return f, true
		}
	}
	for _, f := range fields {
		if strings.EqualFold(f.name, key) {
			return f, true
		}
	}
	return jsonField{}, false
}

// sealed names the struct that at must not make.
func (j *JSON) sealed(base unsafe.Pointer, f jsonField) string {
	for _, s := range f.path {
		base = unsafe.Add(base, s.offset)
		if s.elem == nil {
			continue
		}
		if base = *(*unsafe.Pointer)(base); base == nil {
			return layout.Name(s.elem)
		}
	}
	return ""
}

// at gives the place of a field, and makes what embedded pointers lead to. nil: it must not make that.
func (j *JSON) at(base unsafe.Pointer, f jsonField) unsafe.Pointer {
	for _, s := range f.path {
		base = unsafe.Add(base, s.offset)
		if s.elem == nil {
			continue
		}
		to := (*unsafe.Pointer)(base)
		if *to == nil && s.sealed {
			return nil
		}
		if *to == nil {
			*to = reflect.New(j.Types.Of(s.elem)).UnsafePointer()
		}
		base = *to
	}
	return base
}
