package compile

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// nativeValue finds the compiled function that a function without a body stands for. Of a method, the receiver is its
// first parameter.
func (c *Compiler) nativeValue(f *ssa.Function) (reflect.Value, bool) {
	if recv := f.Signature.Recv(); recv != nil {
		m, ok := c.Types.Of(recv.Type()).MethodByName(f.Name())
		return m.Func, ok
	}
	if f.Pkg == nil {
		return reflect.Value{}, false
	}
	v, ok := c.library.Value(f.Pkg.Pkg.Path(), strings.TrimSuffix(f.Name(), "·"))
	return v, ok && v.Kind() == reflect.Func
}

// special tells whether a compiled function, by its name in SSA, needs more than a call. As a value, and through an
// interface, it needs that too.
func (c *Compiler) special(name string) bool {
	_, looksInto := c.natives[name]
	_, refuses := refused[name]
	return looksInto || refuses || c.changed(name) != nil || blocks(name)
}

// specialMethod finds a method of a compiled type that needs more than a call; nil for all others.
func (c *Compiler) specialMethod(rt reflect.Type, name string) *ssa.Function {
	if rt.Kind() != reflect.Pointer {
		return nil
	}
	path, typ := rt.Elem().PkgPath(), rt.Elem().Name()
	if !c.special("(*" + path + "." + typ + ")." + name) {
		return nil
	}
	c.build.Lock()
	defer c.build.Unlock()
	pkg := c.Program.ImportedPackage(path)
	if pkg == nil {
		return nil
	}
	pointer := types.NewPointer(pkg.Pkg.Scope().Lookup(typ).Type())
	return c.Program.MethodValue(c.Program.MethodSets.MethodSet(pointer).Lookup(nil, name))
}

// native is the call of a compiled function with arguments and results in the frame of the caller.
func (c *Compiler) native(f *ssa.Function, args, results []uintptr) run.Instr {
	var have []reflect.Type // layouts of the arguments
	if recv := f.Signature.Recv(); recv != nil {
		have = append(have, c.Types.Of(recv.Type()))
	}
	for v := range f.Signature.Params().Variables() {
		have = append(have, c.Types.Of(v.Type()))
	}
	var out []reflect.Type
	for v := range f.Signature.Results().Variables() {
		out = append(out, c.Types.Of(v.Type()))
	}
	if step := blocking(f.String(), args); step != nil {
		return step
	}
	if step := c.unlocking(f.String(), args); step != nil {
		return step
	}
	n, ok := c.natives[f.String()]
	if !ok {
		n, ok = instanceOf(f, out)
	}
	if ok {
		return func(frame unsafe.Pointer) {
			in := make([]reflect.Value, len(args))
			for i, rt := range have {
				in[i] = reflect.NewAt(rt, unsafe.Add(frame, args[i])).Elem()
			}
			for i, v := range n(c, frame, in) {
				to := reflect.NewAt(out[i], unsafe.Add(frame, results[i])).Elem()
				to.Set(v)
			}
		}
	}
	fv, ok := c.nativeValue(f)
	if !ok {
		text := fmt.Sprintf("%s is not linked into this program", f)
		return func(frame unsafe.Pointer) { panic(message(text)) }
	}
	if check := c.refuse(f.String(), have, args); check != nil {
		return func(frame unsafe.Pointer) {
			check(frame)
			c.callValue(fv, frame, args, results, have)
		}
	}
	if change := c.changed(f.String()); change != nil {
		call := func(frame unsafe.Pointer) { c.callValue(fv, frame, args, results, have) }
		return changing(change, call, args[len(args)-1])
	}
	if step := direct(fv, args, results); step != nil {
		return step
	}
	return func(frame unsafe.Pointer) { c.callValue(fv, frame, args, results, have) }
}

// callValue calls a compiled function by reflection.
func (c *Compiler) callValue(fv reflect.Value, frame unsafe.Pointer, args, results []uintptr, have []reflect.Type) {
	ft := fv.Type()
	in := make([]reflect.Value, len(args))
	for i := range args {
		p, want := unsafe.Add(frame, args[i]), ft.In(i)
		if want.Kind() == reflect.Interface && want.NumMethod() > 0 && have[i].Kind() != reflect.Interface {
			in[i] = reflect.New(want).Elem() // an interface of cells becomes a compiled one
			if v := *(*any)(p); v != nil {
				in[i].Set(reflect.ValueOf(c.proxied(want, v)))
			}
			continue
		}
		in[i] = reflect.NewAt(want, p).Elem()
	}
	var out []reflect.Value
	if ft.IsVariadic() {
		out = fv.CallSlice(in)
	} else {
		out = fv.Call(in)
	}
	for i, offset := range results {
		to := reflect.NewAt(ft.Out(i), unsafe.Add(frame, offset)).Elem()
		to.Set(out[i])
		if err, ok := to.Addr().Interface().(*error); ok && *err != nil && takesAny(ft) {
			*err = c.rewordError(*err)
		}
	}
}

// external is a body for a compiled function, for calls that are not made directly.
func (c *Compiler) external(f *ssa.Function) *run.Code {
	p := c.plan(f.Signature)
	args := p.params
	if recv := f.Signature.Recv(); recv != nil {
		args = append([]uintptr{p.add(c.Types.Of(recv.Type()))}, args...)
	}
	step := c.native(f, args, p.results)
	return p.code(func(frame unsafe.Pointer) { run.Outside(frame, step) })
}

// code is a body of one step.
func (p *plan) code(step run.Instr) *run.Code {
	code := &run.Code{Entry: &run.Block{Code: []run.Instr{step}, Kind: run.Return}, Frame: p.frame()}
	for _, f := range p.fields {
		code.Pointers = pointers(f.rt, f.offset, code.Pointers)
	}
	return code
}

// adapter enters a frame that calls a compiled function by reflection.
type adapter struct {
	fn   *run.Func
	slot uintptr // of the reflect.Value that is called
}

func (c *Compiler) adapter(sig *types.Signature) *adapter {
	rt := c.Types.Of(sig)
	if a, ok := c.adapters.Load(rt); ok {
		return a.(*adapter)
	}
	p := c.plan(sig)
	a := &adapter{slot: p.add(reflect.TypeFor[reflect.Value]())}
	var have []reflect.Type
	for v := range sig.Params().Variables() {
		have = append(have, c.Types.Of(v.Type()))
	}
	step := func(frame unsafe.Pointer) {
		c.callValue(*at[reflect.Value](frame, a.slot), frame, p.params, p.results, have)
	}
	code := p.code(func(frame unsafe.Pointer) { run.Outside(frame, step) })
	a.fn = c.newFunc("compiled function", func() *run.Code { return code })
	known, _ := c.adapters.LoadOrStore(rt, a)
	return known.(*adapter)
}

type entering struct {
	*adapter
	call reflect.Value
}

func (e entering) Enter(caller unsafe.Pointer) unsafe.Pointer {
	q := e.fn.Enter(caller)
	*at[reflect.Value](q, e.slot) = e.call
	return q
}

// foreign enters a call of a compiled function value.
func (s *shape) foreign(value unsafe.Pointer) entering {
	return entering{s.c.adapter(s.sig), reflect.NewAt(s.rt, unsafe.Pointer(&value)).Elem()}
}

// boundMethod enters a call of a method of a compiled type.
func (c *Compiler) boundMethod(v any, m *method, sig *types.Signature) entering {
	plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return entering{c.adapter(plain), reflect.ValueOf(v).Method(m.compiled)}
}

// Invoke calls a method of a cell's value for compiled code. Arguments and results lie where the pointers say.
func (c *Compiler) Invoke(v any, name string, args, results []unsafe.Pointer) {
	rt := reflect.TypeOf(v)
	m, err := c.Method(rt, name, nil)
	if err != nil {
		panic(message(err.Error()))
	}
	p := m.plan
	loan := c.borrow()
	ended := false
	defer func() {
		if ended {
			return
		}
		if loan.Outermost() {
			loan.Contain(recover())
			return
		}
		loan.Unwind()
	}()
	q := m.fn.Enter(loan.Root())
	for i, from := range args {
		m.moves[i](unsafe.Add(q, p.params[i]), from)
	}
	e := (*layout.Eface)(unsafe.Pointer(&v))
	if m.direct {
		*at[unsafe.Pointer](q, m.recv) = e.Data
	} else if rt.Size() > 0 { // nothing to move may lie behind the frame's end, where no pointer may point
		m.move(unsafe.Add(q, m.recv), e.Data)
	}
	run.Run(q)
	for i, to := range results {
		m.moves[len(args)+i](to, unsafe.Add(q, p.results[i]))
	}
	run.Leave(q)
	ended = true
	c.giveBack(&loan)
}
