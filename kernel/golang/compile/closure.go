package compile

import (
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Closure is a function value of a cell. The values that it captured lie in Env, one after the other.
type Closure struct {
	Fn    *run.Func
	Env   unsafe.Pointer
	binds []slot.Argument // from Env into the frame
	give  slot.Passer
	plan  slot.Plan
	moves []slot.Mover // of parameters, then of results
	c     *Compiler
}

func (cl *Closure) bind(frame unsafe.Pointer) {
	if cl.give != nil {
		cl.give(frame, cl.Env)
	}
}

// newClosure prepares everything but the captured values.
func (c *Compiler) newClosure(f *ssa.Function) Closure {
	cl := Closure{Fn: c.Func(f), plan: slot.PlanOf(c.Types, f.Signature), c: c}
	for v := range f.Signature.Params().Variables() {
		cl.moves = append(cl.moves, slot.MoverOf(c.Types.Of(v.Type())))
	}
	for v := range f.Signature.Results().Variables() {
		cl.moves = append(cl.moves, slot.MoverOf(c.Types.Of(v.Type())))
	}
	return cl
}

// invoke calls the closure from compiled code: arguments and results lie where the pointers say.
func (cl *Closure) invoke(args, results []unsafe.Pointer) {
	loan := cl.c.borrow()
	ended := false
	defer loan.Finish(&ended)
	q := cl.Fn.Enter(loan.Root())
	for i, p := range args {
		cl.moves[i](unsafe.Add(q, cl.plan.Params[i]), p)
	}
	cl.bind(q)
	run.Run(q)
	for i, p := range results {
		cl.moves[len(args)+i](p, unsafe.Add(q, cl.plan.Results[i]))
	}
	ended = cl.leave(q, &loan)
}

// leave frees the frame of a call that has returned, and what the call borrowed.
func (cl *Closure) leave(q unsafe.Pointer, l *run.Loan) (ended bool) {
	run.Leave(q)
	cl.c.release(l)
	return true
}

func (cl *Closure) reflectCall(in []reflect.Value) []reflect.Value {
	args := make([]unsafe.Pointer, len(in))
	for i, v := range in {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		args[i] = p.UnsafePointer()
	}
	outs := cl.plan.Out
	results := make([]unsafe.Pointer, len(outs))
	values := make([]reflect.Value, len(outs))
	for i, rt := range outs {
		p := reflect.New(rt)
		results[i], values[i] = p.UnsafePointer(), p.Elem()
	}
	cl.invoke(args, results)
	return values
}

// borrow takes a G for a call that comes from compiled code. A call that panics does not return it.
func (c *Compiler) borrow() run.Loan {
	g, ok := c.callbacks.Get().(*run.G)
	if !ok {
		g = new(run.G)
	}
	return c.Current.Load().Lend(g)
}

func (c *Compiler) release(l *run.Loan) {
	l.Return()
	if l.CanReuse() {
		c.callbacks.Put(l.G)
	}
}
