package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// methodKey is what a method is looked up by: the dynamic type, the name, and the package of an unexported one.
type methodKey struct {
	rt   reflect.Type
	name string
	pkg  string
}

// method is how a method of a dynamic type is called.
type method struct {
	fn       *run.Func // method of a cell; otherwise
	compiled int       // the index of a method of a compiled type
	recv     uintptr   // where the receiver goes in the callee's frame
	isDirect bool      // the receiver is the data word itself
	move     slot.Mover
	plan     slot.Plan
	moves    []slot.Mover // of parameters, then of results
	sig      *types.Signature
	layout   func() reflect.Type // of the signature
}

// Method finds a method of a dynamic type: a cell's or a compiled one. The package matters for unexported names only.
func (c *Compiler) Method(rt reflect.Type, name string, pkg *types.Package) (*method, error) {
	key := methodKey{rt: rt, name: name}
	if pkg != nil && !token.IsExported(name) {
		key.pkg = pkg.Path()
	}
	if m, ok := c.methods.Load(key); ok {
		return m.(*method), nil
	}
	m, err := c.findMethod(rt, name, pkg)
	if err != nil {
		return nil, err
	}
	c.methods.Store(key, m)
	return m, nil
}

func (c *Compiler) findMethod(rt reflect.Type, name string, pkg *types.Package) (*method, error) {
	if typ, ok := c.Types.CellType(rt); ok && c.HasCell(typ) {
		f := c.MethodOf(typ, pkg, name)
		if f == nil {
			return nil, fmt.Errorf("%s has no method %s", c.TypeName(typ), name)
		}
		return c.methodOf(f, rt), nil
	}
	if f := c.SpecialMethod(rt, name); f != nil {
		return c.methodOf(f, rt), nil
	}
	m, ok := rt.MethodByName(name)
	if !ok {
		return nil, fmt.Errorf("%s has no method %s", rt, name)
	}
	return &method{compiled: m.Index}, nil
}

// changed says that a method is not the one that code was made for.
func changed(rt reflect.Type, name string) string {
	return fmt.Sprintf("method %s of %s has another signature now: a later cell declared one of this name", name, rt)
}

// Forget drops what is known of methods: of types that embed others, they may be other methods now. The program has
// functions for these that it does not make again.
func (c *Compiler) Forget() {
	c.methods.Clear()
	sets := reflect.ValueOf(c.Program).Elem().FieldByName("methodSets")
	if sets.IsValid() && sets.Type() == reflect.TypeFor[typeutil.Map]() {
		*(*typeutil.Map)(sets.Addr().UnsafePointer()) = typeutil.Map{}
	}
}

// methodOf returns how a method in SSA form is called.
func (c *Compiler) methodOf(f *ssa.Function, rt reflect.Type) *method {
	plan := slot.PlanOf(c.Types, f.Signature)
	recv := slot.Align(plan.End, uintptr(rt.Align()))
	m := &method{fn: c.Func(f), recv: recv, isDirect: layout.IsDirect(rt), move: slot.MoverOf(rt), plan: plan,
		sig: f.Signature, layout: sync.OnceValue(func() reflect.Type { return c.Types.Of(f.Signature) })}
	for v := range f.Signature.Params().Variables() {
		m.moves = append(m.moves, slot.MoverOf(c.Types.Of(v.Type())))
	}
	for v := range f.Signature.Results().Variables() {
		m.moves = append(m.moves, slot.MoverOf(c.Types.Of(v.Type())))
	}
	return m
}
