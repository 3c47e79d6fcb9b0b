package dynamic

import (
	"go/types"
	"reflect"
)

type implementsKey struct {
	rt    reflect.Type
	iface types.Type
}

// Missing names the first method of an interface that a dynamic type lacks, "" if it has all.
func (s *Values) Missing(rt reflect.Type, want types.Type) string {
	iface := want.Underlying().(*types.Interface)
	if iface.NumMethods() == 0 {
		return ""
	}
	key := implementsKey{rt, want}
	if m, ok := s.implements.Load(key); ok {
		return m.(string)
	}
	m := s.findMissing(rt, iface)
	s.implements.Store(key, m)
	return m
}

func (s *Values) findMissing(rt reflect.Type, iface *types.Interface) string {
	if typ, ok := s.Types.CellType(rt); ok {
		if m, _ := types.MissingMethod(typ, iface, true); m != nil {
			return m.Name()
		}
		return ""
	}
	for m := range iface.Methods() {
		have, ok := rt.MethodByName(m.Name())
		if !ok || !s.sameSignature(have.Type, m.Signature()) {
			return m.Name()
		}
	}
	return ""
}

// sameSignature compares a compiled method, whose receiver comes first, with a signature.
func (s *Values) sameSignature(have reflect.Type, want *types.Signature) bool {
	w := s.Types.Of(want)
	if have.NumIn()-1 != w.NumIn() || have.NumOut() != w.NumOut() || have.IsVariadic() != w.IsVariadic() {
		return false
	}
	for i := range w.NumIn() {
		if have.In(i+1) != w.In(i) {
			return false
		}
	}
	for i := range w.NumOut() {
		if have.Out(i) != w.Out(i) {
			return false
		}
	}
	return true
}
