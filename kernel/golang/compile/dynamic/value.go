// Package dynamic knows what interfaces of cells hold: types that cells declare, with their methods.
package dynamic

import (
	"go/types"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Invoker calls a method of a cell's value. Arguments and results lie where the pointers say. The signature may be nil
// if the caller has just looked for it.
type Invoker func(v any, name string, signature reflect.Type, args, results []unsafe.Pointer)

// Values knows what interfaces hold in a session: types of cells and their methods. It implements bridge.Session.
type Values struct {
	Types   *layout.Types
	Program *ssa.Program
	// Crowd keeps uses of one map by several goroutines apart.
	Crowd  *run.Crowd
	invoke Invoker

	build      sync.Mutex
	names      sync.Map // reflect.Type -> map[string]string, exported methods with their signatures
	implements sync.Map // implementsKey -> name of the missing method
}

// New knows the values of a program.
func New(program *ssa.Program, t *layout.Types, crowd *run.Crowd, invoke Invoker) *Values {
	t.CallBy(layout.Caller(invoke))
	return &Values{Types: t, Program: program, Crowd: crowd, invoke: invoke}
}

// Invoke implements bridge.Session.
func (s *Values) Invoke(v any, name string, args, results []unsafe.Pointer) {
	s.invoke(v, name, nil, args, results)
}

// HasCell reports whether the methods of a type are those of cells.
func (s *Values) HasCell(typ types.Type) bool {
	typ = types.Unalias(typ)
	if p, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(p.Elem())
	}
	if n, ok := typ.(*types.Named); ok {
		return s.Types.IsCell(n)
	}
	return true
}

// TypeName is a type as Go prints it.
func (s *Values) TypeName(typ types.Type) string { return layout.Name(typ) }

// DynamicName is the type of a value in an interface as Go prints it.
func (s *Values) DynamicName(rt reflect.Type) string {
	if typ, ok := s.Types.CellType(rt); ok {
		return s.TypeName(typ)
	}
	return rt.String()
}

// WithLock builds a part of the program while no other goroutine looks up a method.
func (s *Values) WithLock(build func()) {
	s.build.Lock()
	defer s.build.Unlock()
	build()
	s.implements.Clear()
	s.names.Clear()
}

// Look implements bridge.Session.
func (s *Values) Look(m reflect.Value, read func()) {
	if s.Crowd.Alone() {
		read()
		return
	}
	guard.Read(s.Crowd, m.UnsafePointer(), guard.IteratesWritten, read)
}

// Change implements bridge.Session.
func (s *Values) Change(m reflect.Value, write func()) {
	if p := m.UnsafePointer(); p != nil && !s.Crowd.Alone() {
		s.Crowd.Write(p)
		defer s.Crowd.Written(p)
	}
	write()
}

// Still is what compiled code may walk through in place of a value: a copy of a map, as long as other goroutines
// may change it.
func (s *Values) Still(v any) (still any, other bool) {
	if s.Crowd.Alone() {
		return v, false
	}
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map || m.IsNil() {
		return v, false
	}
	var out reflect.Value
	s.Look(m, func() {
		out = reflect.MakeMapWithSize(m.Type(), m.Len())
		for it := m.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), it.Value())
		}
	})
	return out.Interface(), true
}

// Methods lists the exported methods of a type of cells with their signatures.
func (s *Values) Methods(rt reflect.Type) map[string]string {
	if typ, ok := s.Types.CellType(rt); ok && s.HasCell(typ) {
		return s.methodNames(rt, typ)
	}
	return nil
}

// MethodsOf lists the exported methods of a value whose type a cell declares.
func (s *Values) MethodsOf(v any) map[string]string { return s.Methods(reflect.TypeOf(v)) }

// MethodOf finds a method of a type of cells; nil if there is none. The package matters for unexported names only.
func (s *Values) MethodOf(typ types.Type, pkg *types.Package, name string) *ssa.Function {
	s.build.Lock()
	defer s.build.Unlock()
	sel := s.Program.MethodSets.MethodSet(typ).Lookup(pkg, name)
	if sel == nil {
		return nil
	}
	return s.Program.MethodValue(sel)
}

// PointerMethod finds a method of a pointer to a type of a compiled package; nil if the package is not imported.
func (s *Values) PointerMethod(path, typ, name string) *ssa.Function {
	s.build.Lock()
	defer s.build.Unlock()
	pkg := s.Program.ImportedPackage(path)
	if pkg == nil {
		return nil
	}
	pointer := types.NewPointer(pkg.Pkg.Scope().Lookup(typ).Type())
	return s.Program.MethodValue(s.Program.MethodSets.MethodSet(pointer).Lookup(nil, name))
}

// methodNames lists the exported methods of a cell's type.
func (s *Values) methodNames(rt reflect.Type, typ types.Type) map[string]string {
	if known, ok := s.names.Load(rt); ok {
		return known.(map[string]string)
	}
	s.build.Lock()
	set := s.Program.MethodSets.MethodSet(typ)
	s.build.Unlock()
	names := map[string]string{}
	for i := range set.Len() {
		obj := set.At(i).Obj()
		if obj.Exported() {
			names[obj.Name()] = layout.Name(set.At(i).Type())
		}
	}
	s.names.Store(rt, names)
	return names
}
