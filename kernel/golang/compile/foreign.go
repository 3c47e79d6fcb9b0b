package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// compileExternal returns code that calls a compiled function, for calls that are not made directly.
func (c *Compiler) compileExternal(f *ssa.Function) *run.Code {
	p := slot.PlanOf(c.Types, f.Signature)
	args := p.Params
	if recv := f.Signature.Recv(); recv != nil {
		args = append([]uintptr{p.Add(c.Types.Of(recv.Type()))}, args...)
	}
	step := c.Step(f, args, p.Results)
	return p.Code(func(frame unsafe.Pointer) { run.Outside(frame, step) })
}

// invoke calls a method of a cell's value for compiled code. Arguments and results lie where the pointers say.
// It ends the cell if the method has another signature since a type embeds another one of its name.
func (c *Compiler) invoke(v any, name string, signature reflect.Type, args, results []unsafe.Pointer) {
	rt := reflect.TypeOf(v)
	m, err := c.Method(rt, name, nil)
	if err != nil {
		panic(fault.Message(err.Error()))
	}
	if signature != nil && m.layout() != signature {
		panic(fault.Message(changed(rt, name)))
	}
	p := m.plan
	loan := c.borrow()
	ended := false
	defer loan.Finish(&ended)
	q := m.fn.Enter(loan.Root())
	for i, from := range args {
		m.moves[i](unsafe.Add(q, p.Params[i]), from)
	}
	e := (*layout.Eface)(unsafe.Pointer(&v))
	if m.isDirect {
		*slot.At[unsafe.Pointer](q, m.recv) = e.Data
	} else if rt.Size() > 0 { // nothing to move may lie behind the frame's end, where no pointer may point
		m.move(unsafe.Add(q, m.recv), e.Data)
	}
	run.Run(q)
	for i, to := range results {
		m.moves[len(args)+i](to, unsafe.Add(q, p.Results[i]))
	}
	run.Leave(q)
	ended = true
	c.release(&loan)
}

// enterForeign enters a call of a compiled function value.
func (s *shape) enterForeign(value unsafe.Pointer) entering {
	return entering{s.c.adapterOf(s.sig), reflect.NewAt(s.rt, unsafe.Pointer(&value)).Elem()}
}

// enterBound enters a call of a method of a compiled type.
func (c *Compiler) enterBound(v any, m *method, sig *types.Signature) entering {
	plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return entering{c.adapterOf(plain), reflect.ValueOf(v).Method(m.compiled)}
}

type entering struct {
	*adapter
	call reflect.Value
}

func (e entering) Enter(caller unsafe.Pointer) unsafe.Pointer {
	q := e.fn.Enter(caller)
	*slot.At[reflect.Value](q, e.slot) = e.call
	return q
}

// adapter enters a frame that calls a compiled function by reflection.
type adapter struct {
	fn   *run.Func
	slot uintptr // of the reflect.Value that is called
}

func (c *Compiler) adapterOf(sig *types.Signature) *adapter {
	rt := c.Types.Of(sig)
	if a, ok := c.adapters.Load(rt); ok {
		return a.(*adapter)
	}
	p := slot.PlanOf(c.Types, sig)
	a := &adapter{slot: p.Add(reflect.TypeFor[reflect.Value]())}
	var have, made []reflect.Type
	for v := range sig.Params().Variables() {
		have = append(have, c.Types.Of(v.Type()))
	}
	for v := range sig.Results().Variables() {
		made = append(made, c.Types.Of(v.Type()))
	}
	step := func(frame unsafe.Pointer) {
		c.Call(*slot.At[reflect.Value](frame, a.slot), frame, p.Params, p.Results, have, made)
	}
	code := p.Code(func(frame unsafe.Pointer) { run.Outside(frame, step) })
	a.fn = c.newFunc("compiled function", func() *run.Code { return code })
	known, _ := c.adapters.LoadOrStore(rt, a)
	return known.(*adapter)
}
