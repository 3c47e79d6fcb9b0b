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

// fields lists the fields of a struct in their order. Of several with one name, the one that is embedded least counts,
// then the one whose name a tag gives, else none. A struct counts where it is embedded least.
func (j *JSON) fields(typ types.Type) []jsonField {
	if known, ok := j.structs[typ]; ok {
		return known
	}
	all := map[string][]jsonField{}
	seen := map[types.Type]bool{}
	for level := []jsonField{{typ: typ}}; len(level) > 0; {
		var next []jsonField
		times := map[types.Type]int{} // that this level embeds a struct
		for _, outer := range level {
			times[outer.typ]++
		}
		for _, outer := range level {
			if seen[outer.typ] {
				continue
			}
			seen[outer.typ] = true
			for _, f := range j.inner(outer) {
				if f.name == "" {
					next = append(next, f)
					continue
				}
				all[f.name] = append(all[f.name], f)
				if times[outer.typ] > 1 { // which hide each other
					all[f.name] = append(all[f.name], f)
				}
			}
		}
		level = next
	}
	var out []jsonField
	for _, list := range all {
		if f, ok := dominant(list); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b jsonField) int {
		return slices.CompareFunc(a.path, b.path, func(x, y step) int { return x.index - y.index })
	})
	if j.structs == nil {
		j.structs = map[types.Type][]jsonField{}
	}
	j.structs[typ] = out
	return out
}

// inner lists the fields of one struct; those without a name are structs that it embeds.
func (j *JSON) inner(outer jsonField) []jsonField {
	var list []jsonField
	u, rt := outer.typ.Underlying().(*types.Struct), layout.Unwrapped(j.Types.Of(outer.typ))
	for i := range u.NumFields() {
		f := u.Field(i)
		tag := reflect.StructTag(u.Tag(i)).Get("json")
		name, options := splitTag(tag)
		within := embedded(f.Type())
		if tag == "-" || !f.Exported() && (!f.Embedded() || within == nil) {
			continue
		}
		here := step{index: i, offset: rt.Field(i).Offset}
		field := jsonField{name: name, typ: f.Type(), options: options, isTagged: name != "", via: outer.via}
		if f.Embedded() && within != nil && name == "" {
			if _, ok := f.Type().Underlying().(*types.Pointer); ok {
				here.elem, here.isSealed = within, !f.Exported()
			}
			field.typ, field.via = types.Unalias(within), append(slices.Clone(outer.via), f.Name())
		} else if name == "" {
			field.name = f.Name()
		}
		field.path = append(slices.Clone(outer.path), here)
		field.isQuoted = field.name != "" && slices.Contains(strings.Split(options, ","), "string") &&
			canBeQuoted(f.Type())
		list = append(list, field)
	}
	return list
}

// embedded returns the struct of an embedded field, nil for all other types.
func embedded(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		return t
	}
	return nil
}

// splitTag splits a tag. A name with other signs than encoding/json takes counts as none.
func splitTag(tag string) (name, options string) {
	name, options, _ = strings.Cut(tag, ",")
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return "", options
		}
	}
	return name, options
}

// canBeQuoted reports whether text may hold a value of the type, or one that it points at.
func canBeQuoted(t types.Type) bool {
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
		return btoi(b.isTagged) - btoi(a.isTagged)
	})
	if len(list) > 1 && len(list[0].path) == len(list[1].path) && list[0].isTagged == list[1].isTagged {
		return jsonField{}, false
	}
	return list[0], true
}

// find returns the field for a key: of that name, else of that name in other case.
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

// sealedStruct names the struct that at must not make.
func (j *JSON) sealedStruct(base unsafe.Pointer, f jsonField) string {
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

// at returns the place of a field, and makes what embedded pointers lead to. nil: it must not make that.
func (j *JSON) at(base unsafe.Pointer, f jsonField) unsafe.Pointer {
	for _, s := range f.path {
		base = unsafe.Add(base, s.offset)
		if s.elem == nil {
			continue
		}
		to := (*unsafe.Pointer)(base)
		if *to == nil && s.isSealed {
			return nil
		}
		if *to == nil {
			*to = reflect.New(j.Types.Of(s.elem)).UnsafePointer()
		}
		base = *to
	}
	return base
}

// findExisting returns the place of a field, nil where an embedded pointer on the way is nil, and reports whether one
// is there.
func (f jsonField) findExisting(base unsafe.Pointer) (at unsafe.Pointer, pointed bool) {
	for _, s := range f.path {
		base = unsafe.Add(base, s.offset)
		if s.elem == nil {
			continue
		}
		if base, pointed = *(*unsafe.Pointer)(base), true; base == nil {
			return nil, true
		}
	}
	return base, pointed
}
