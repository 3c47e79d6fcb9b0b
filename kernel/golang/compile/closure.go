package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Closure is a function value of a cell. The values that it captured lie in Env, one after the other.
type Closure struct {
	Fn    *run.Func
	Env   unsafe.Pointer
	binds []argument // from Env into the frame
	give  passer
	plan  plan
	moves []mover // of parameters, then of results
	c     *Compiler
}

func (cl *Closure) bind(frame unsafe.Pointer) {
	if cl.give != nil {
		cl.give(frame, cl.Env)
	}
}

// shape is what all function values of one signature share. Function values of cells are real ones, so compiled code
// can call them: they capture their Closure and nothing else.
type shape struct {
	c     *Compiler
	rt    reflect.Type
	sig   *types.Signature
	code  uintptr // what function values of this shape begin with
	inner uintptr // 0: the Closure is captured; else the place of the function that captured it
	make  func(*Closure) unsafe.Pointer
}

func (c *Compiler) shape(rt reflect.Type, sig *types.Signature) *shape {
	if s, ok := c.shapes.Load(rt); ok {
		return s.(*shape)
	}
	s := &shape{c: c, rt: rt, sig: sig}
	if direct, ok := directShapes[rt]; ok {
		s.make = direct
	} else {
		s.make = s.reflected
		s.inner = reflectedPlace
	}
	known, _ := c.shapes.LoadOrStore(rt, s)
	known.(*shape).code = codeOf(s.make(&Closure{}))
	return known.(*shape)
}

// valueOf is a function value as memory holds it.
func valueOf(f reflect.Value) unsafe.Pointer {
	v := f.Interface()
	return (*layout.Eface)(unsafe.Pointer(&v)).Data
}

func codeOf(value unsafe.Pointer) uintptr { return (*layout.Func)(value).Code }

// closure recognises a function value of a cell; nil for compiled ones.
func (s *shape) closure(value unsafe.Pointer) *Closure {
	if codeOf(value) != s.code {
		return nil
	}
	if s.inner == 0 {
		return (*Closure)((*layout.Func)(value).Captured)
	}
	inner := *(*unsafe.Pointer)(unsafe.Add(value, s.inner))
	if codeOf(inner) != reflectedCode {
		return nil
	}
	return (*Closure)((*layout.Func)(inner).Captured)
}

// reflected makes a function value of any signature.
func (s *shape) reflected(cl *Closure) unsafe.Pointer {
	return valueOf(reflect.MakeFunc(s.rt, reflectedBody(cl)))
}

//go:noinline
func reflectedBody(cl *Closure) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value { return cl.reflectCall(args) }
}

// reflectedPlace and reflectedCode tell how function values made by reflection hold ours.
var reflectedPlace, reflectedCode = findReflected()

func findReflected() (place, code uintptr) {
	body := reflectedBody(&Closure{})
	inner := *(*unsafe.Pointer)(unsafe.Pointer(&body))
	f := valueOf(reflect.MakeFunc(reflect.TypeFor[func(int8)](), body))
	const most = 8
	for i := uintptr(1); i < most; i++ {
		if *(*unsafe.Pointer)(unsafe.Add(f, i*unsafe.Sizeof(i))) == inner {
			return i * unsafe.Sizeof(i), codeOf(inner)
		}
	}
	panic("compile: function values made by reflection do not lie in memory as this program expects")
}

// newClosure prepares everything but the captured values.
func (c *Compiler) newClosure(f *ssa.Function) Closure {
	cl := Closure{Fn: c.Func(f), plan: c.plan(f.Signature), c: c}
	for v := range f.Signature.Params().Variables() {
		cl.moves = append(cl.moves, moverOf(c.Types.Of(v.Type())))
	}
	for v := range f.Signature.Results().Variables() {
		cl.moves = append(cl.moves, moverOf(c.Types.Of(v.Type())))
	}
	return cl
}

// funcValue is a declared function as a value.
func (c *Compiler) funcValue(f *ssa.Function) unsafe.Pointer {
	if f.Blocks == nil && !c.special(f.String()) {
		if v, ok := c.nativeValue(f); ok {
			return valueOf(v)
		}
	}
	sig := f.Signature
	if sig.Recv() != nil {
		panic("compile: a method without its receiver: " + f.String())
	}
	rt := c.Types.Of(sig)
	cl := c.newClosure(f)
	return c.shape(rt, sig).make(&cl)
}

func (b *body) makeClosure(i *ssa.MakeClosure) {
	f := i.Fn.(*ssa.Function)
	model := b.newClosure(f)
	env := plan{}
	at1 := model.plan.end
	if recv := f.Signature.Recv(); recv != nil {
		panic("compile: a closure with a receiver: " + f.String())
	}
	var capture []argument // from the frame into Env
	for n, v := range f.FreeVars {
		rt := b.Types.Of(v.Type())
		if rt.Size() == 0 {
			continue
		}
		offset := align(env.end, uintptr(rt.Align()))
		env.end = offset + rt.Size()
		env.fields = append(env.fields, field{offset, rt})
		at1 = align(at1, uintptr(rt.Align()))
		model.binds = append(model.binds, argument{at1, offset, rt})
		capture = append(capture, argument{offset, b.operand(i.Bindings[n]), rt})
		at1 += rt.Size()
	}
	take, give := pass(capture), pass(model.binds)
	if len(capture) > 0 {
		model.give = give
	}
	fields := make([]reflect.StructField, len(env.fields))
	for n, f := range env.fields {
		fields[n] = reflect.StructField{Name: "F" + itoa(n), Type: f.rt}
	}
	memory := reflect.StructOf(fields)
	sig := types.NewSignatureType(nil, nil, nil, f.Signature.Params(), f.Signature.Results(), f.Signature.Variadic())
	shape := b.shape(b.Types.Of(sig), sig)
	d := b.slot(i)
	b.emit(func(frame unsafe.Pointer) {
		cl := new(Closure)
		*cl = model
		if len(capture) == 1 && classOf(capture[0].rt) == classPointer {
			p := new(unsafe.Pointer)
			*p = *at[unsafe.Pointer](frame, capture[0].from)
			cl.Env = unsafe.Pointer(p)
		} else if len(capture) > 0 {
			cl.Env = reflect.New(memory).UnsafePointer()
			take(cl.Env, frame)
		}
		*at[unsafe.Pointer](frame, d) = shape.make(cl)
	})
}

// invoke calls the closure from compiled code: arguments and results lie where the pointers say.
func (cl *Closure) invoke(args, results []unsafe.Pointer) {
	loan := cl.c.borrow()
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
	q := cl.Fn.Enter(loan.Root())
	for i, p := range args {
		cl.moves[i](unsafe.Add(q, cl.plan.params[i]), p)
	}
	cl.bind(q)
	run.Run(q)
	for i, p := range results {
		cl.moves[len(args)+i](p, unsafe.Add(q, cl.plan.results[i]))
	}
	run.Leave(q)
	ended = true
	cl.c.giveBack(&loan)
}

func (cl *Closure) reflectCall(in []reflect.Value) []reflect.Value {
	args := make([]unsafe.Pointer, len(in))
	for i, v := range in {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		args[i] = p.UnsafePointer()
	}
	outs := cl.plan.out
	results := make([]unsafe.Pointer, len(outs))
	values := make([]reflect.Value, len(outs))
	for i, rt := range outs {
		p := reflect.New(rt)
		results[i], values[i] = p.UnsafePointer(), p.Elem()
	}
	cl.invoke(args, results)
	return values
}

// borrow takes a G for a call that comes from compiled code. A call that panics does not give it back.
func (c *Compiler) borrow() run.Loan {
	g, ok := c.callbacks.Get().(*run.G)
	if !ok {
		g = new(run.G)
	}
	return c.Current.Load().Lend(g)
}

func (c *Compiler) giveBack(l *run.Loan) {
	l.Return()
	if l.Reusable() {
		c.callbacks.Put(l.G)
	}
}
