package cell

import "go/types"

// pairing has the types that a cell declares again, each with that of the earlier cell which it is taken for.
type pairing map[*types.Named]*types.Named

// isSame reports whether a type of the cell is the earlier one, if those of the pairing are.
func (m pairing) isSame(is, was types.Type) bool {
	is, was = types.Unalias(is), types.Unalias(was)
	switch a := is.(type) {
	case *types.Named:
		b, ok := was.(*types.Named)
		if !ok || m[a] != nil {
			return ok && m[a] == b
		}
		if a == b {
			return true
		}
		if origin := m[a.Origin()]; origin != nil && origin != b.Origin() || origin == nil && a.Origin() != b.Origin() {
			return false
		}
		if a.TypeArgs().Len() != b.TypeArgs().Len() || a.TypeArgs().Len() == 0 {
			return false
		}
		for i := range a.TypeArgs().Len() {
			if !m.isSame(a.TypeArgs().At(i), b.TypeArgs().At(i)) {
				return false
			}
		}
		return true
	case *types.TypeParam:
		b, ok := was.(*types.TypeParam)
		return ok && a.Index() == b.Index()
	case *types.Pointer:
		b, ok := was.(*types.Pointer)
		return ok && m.isSame(a.Elem(), b.Elem())
	case *types.Slice:
		b, ok := was.(*types.Slice)
		return ok && m.isSame(a.Elem(), b.Elem())
	case *types.Array:
		b, ok := was.(*types.Array)
		return ok && a.Len() == b.Len() && m.isSame(a.Elem(), b.Elem())
	case *types.Map:
		b, ok := was.(*types.Map)
		return ok && m.isSame(a.Key(), b.Key()) && m.isSame(a.Elem(), b.Elem())
	case *types.Chan:
		b, ok := was.(*types.Chan)
		return ok && a.Dir() == b.Dir() && m.isSame(a.Elem(), b.Elem())
	case *types.Struct:
		b, ok := was.(*types.Struct)
		return ok && m.structs(a, b)
	case *types.Signature:
		b, ok := was.(*types.Signature)
		return ok && a.Variadic() == b.Variadic() && m.tuples(a.Params(), b.Params()) &&
			m.tuples(a.Results(), b.Results())
	case *types.Interface:
		b, ok := was.(*types.Interface)
		return ok && m.interfaces(a, b)
	case *types.Union:
		b, ok := was.(*types.Union)
		return ok && m.unions(a, b)
	}
	return types.Identical(is, was)
}

// sameParams compares the type parameters of generic types.
func (m pairing) sameParams(a, b *types.TypeParamList) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !m.isSame(a.At(i).Constraint(), b.At(i).Constraint()) {
			return false
		}
	}
	return true
}

func (m pairing) structs(a, b *types.Struct) bool {
	if a.NumFields() != b.NumFields() {
		return false
	}
	for i := range a.NumFields() {
		f, g := a.Field(i), b.Field(i)
		if f.Id() != g.Id() || f.Embedded() != g.Embedded() || a.Tag(i) != b.Tag(i) || !m.isSame(f.Type(), g.Type()) {
			return false
		}
	}
	return true
}

func (m pairing) tuples(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !m.isSame(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// interfaces compares methods and, of constraints, what stands between them.
func (m pairing) interfaces(a, b *types.Interface) bool {
	if a.NumMethods() != b.NumMethods() || a.IsMethodSet() != b.IsMethodSet() || a.IsComparable() != b.IsComparable() {
		return false
	}
	for i := range a.NumMethods() {
		if f, g := a.Method(i), b.Method(i); f.Id() != g.Id() || !m.isSame(f.Type(), g.Type()) {
			return false
		}
	}
	if a.IsMethodSet() {
		return true
	}
	if a.NumEmbeddeds() != b.NumEmbeddeds() {
		return false
	}
	for i := range a.NumEmbeddeds() {
		if !m.isSame(a.EmbeddedType(i), b.EmbeddedType(i)) {
			return false
		}
	}
	return true
}

func (m pairing) unions(a, b *types.Union) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if s, t := a.Term(i), b.Term(i); s.Tilde() != t.Tilde() || !m.isSame(s.Type(), t.Type()) {
			return false
		}
	}
	return true
}
