package compile

import (
	"go/token"
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/native"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// callee prepares a frame for a call: it finds the function and stores the arguments.
type callee func(frame unsafe.Pointer) (entered unsafe.Pointer)

// resolveCall resolves a call to a function of cells.
func (b *body) resolveCall(c *ssa.CallCommon, pos token.Pos) callee {
	if c.IsInvoke() {
		return b.resolveInvoke(c, pos)
	}
	sig := c.Signature()
	if f, ok := c.Value.(*ssa.Function); ok {
		fn, give := b.Func(f), slot.Pass(b.placeArguments(f.Signature, c.Args))
		return func(frame unsafe.Pointer) unsafe.Pointer {
			run.HeadOf(frame).Site = pos
			q := fn.Enter(frame)
			give(q, frame)
			return q
		}
	}
	plan := slot.PlanOf(b.Types, sig)
	x, give := b.operand(c.Value), slot.Pass(b.placeArgumentsOf(plan, sig, c.Args))
	shape := b.shapeOf(b.Types.Of(sig), sig)
	return func(frame unsafe.Pointer) unsafe.Pointer {
		run.HeadOf(frame).Site = pos
		value := *slot.At[unsafe.Pointer](frame, x)
		if value == nil {
			fault.NilPointer(frame, pos)
		}
		closure := shape.closureOf(value)
		if closure == nil {
			q := shape.enterForeign(value).Enter(frame)
			give(q, frame)
			return q
		}
		q := closure.Fn.Enter(frame)
		give(q, frame)
		closure.bind(q)
		return q
	}
}

// placeArguments places the arguments of a static call; a receiver is the first of them.
func (b *body) placeArguments(sig *types.Signature, args []ssa.Value) []slot.Argument {
	plan := slot.PlanOf(b.Types, sig)
	if recv := sig.Recv(); recv != nil {
		rt := b.Types.Of(recv.Type())
		list := b.placeArgumentsOf(plan, sig, args[1:])
		if rt.Size() == 0 {
			return list
		}
		to := slot.Align(plan.End, uintptr(rt.Align()))
		return append(list, slot.Argument{To: to, From: b.operand(args[0]), Type: rt})
	}
	return b.placeArgumentsOf(plan, sig, args)
}

func (b *body) placeArgumentsOf(plan slot.Plan, sig *types.Signature, args []ssa.Value) []slot.Argument {
	var list []slot.Argument
	for i, v := range args {
		rt := b.Types.Of(sig.Params().At(i).Type())
		if rt.Size() > 0 {
			list = append(list, slot.Argument{To: plan.Params[i], From: b.operand(v), Type: rt})
		}
	}
	return list
}

// known is a type and its method that a call through an interface has met, and those that it met before.
type known struct {
	word   unsafe.Pointer
	method *method
	before *known
	n      int // of them
}

// maxKnown bounds how many types a call knows.
const maxKnown = 8

// of finds what is known about a type.
func (k *known) of(word unsafe.Pointer) *method {
	for ; k != nil; k = k.before {
		if k.word == word {
			return k.method
		}
	}
	return nil
}

// and adds a type.
func (k *known) and(word unsafe.Pointer, m *method) *known {
	if k == nil || k.n >= maxKnown {
		return &known{word: word, method: m, n: 1}
	}
	return &known{word, m, k, k.n + 1}
}

// resolveInvoke resolves a call of a method of what an interface holds.
func (b *body) resolveInvoke(c *ssa.CallCommon, pos token.Pos) callee {
	sig := c.Signature()
	plan := slot.PlanOf(b.Types, sig)
	x, read := b.operand(c.Value), b.AsAny(c.Value.Type())
	give := slot.Pass(b.placeArgumentsOf(plan, sig, c.Args))
	name, pkg := c.Method.Name(), c.Method.Pkg()
	var cache atomic.Pointer[known]
	isEface := b.Types.IsEface(c.Value.Type())
	return func(frame unsafe.Pointer) unsafe.Pointer {
		run.HeadOf(frame).Site = pos
		var v any
		if isEface {
			v = *slot.At[any](frame, x)
		} else {
			v = read(unsafe.Add(frame, x))
		}
		e := (*layout.Eface)(unsafe.Pointer(&v))
		if e.Type == nil {
			fault.NilPointer(frame, pos)
		}
		last := cache.Load()
		m := last.of(e.Type)
		if m == nil {
			var err error
			if m, err = b.Method(reflect.TypeOf(v), name, pkg); err != nil {
				fault.Fail(frame, pos, err.Error())
			}
			if m.fn != nil && !types.Identical(m.sig, sig) {
				fault.Fail(frame, pos, changed(reflect.TypeOf(v), name))
			}
			cache.Store(last.and(e.Type, m))
		}
		if m.fn == nil {
			q := b.enterBound(v, m, sig).Enter(frame)
			give(q, frame)
			return q
		}
		q := m.fn.Enter(frame)
		give(q, frame)
		if m.isDirect {
			*slot.At[unsafe.Pointer](q, m.recv) = e.Data
		} else {
			m.move(unsafe.Add(q, m.recv), e.Data)
		}
		return q
	}
}

// emitCall emits a call whose results the function uses.
func (b *body) emitCall(i *ssa.Call) {
	common := &i.Call
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		b.emitBuiltin(builtin, common.Args, i)
		return
	}
	f, _ := common.Value.(*ssa.Function)
	call := b.ordinaryCall(i, f)
	if f == nil {
		b.emit(call)
		return
	}
	if step := b.sortStep(i, f, call); step != nil {
		call = step
	} else if step := b.containerStep(i, f, call, b.resultSlots(i, f.Signature)); step != nil {
		call = step
	}
	b.emit(call)
}

// ordinaryCall returns a step that makes a call. f is nil if it is not known which function is called.
func (b *body) ordinaryCall(i *ssa.Call, f *ssa.Function) run.Instr {
	common := &i.Call
	sig := common.Signature()
	if f == nil || f.Blocks != nil && !native.IsOrdered(f) {
		return b.callStep(b.resolveCall(common, callPlace(i)), i, sig)
	}
	var results []uintptr
	if i.Type() != nil {
		results = b.resultSlots(i, sig)
	}
	var args []uintptr
	for _, v := range common.Args {
		args = append(args, b.operand(v))
	}
	step, pos := b.Step(f, args, results), i.Pos()
	if native.IsComparison(f) {
		return step
	}
	return func(frame unsafe.Pointer) {
		run.HeadOf(frame).Site = pos
		run.Check(frame)
		run.Outside(frame, step)
	}
}

// resultSlots returns where a call's results go.
func (b *body) resultSlots(v ssa.Value, sig *types.Signature) []uintptr {
	switch n := sig.Results().Len(); n {
	case 0:
		return nil
	case 1:
		return []uintptr{b.slot(v)}
	default:
		base, rt := b.slot(v), b.Types.Of(v.Type())
		list := make([]uintptr, n)
		for i := range list {
			list[i] = base + rt.Field(i).Offset
		}
		return list
	}
}

// callStep returns a step that enters a frame, runs it and takes its results.
func (b *body) callStep(enter callee, i *ssa.Call, sig *types.Signature) run.Instr {
	plan := slot.PlanOf(b.Types, sig)
	slots := b.resultSlots(i, sig)
	if len(slots) == 0 {
		return func(f unsafe.Pointer) {
			q := enter(f)
			run.Run(q)
			run.Leave(q)
		}
	}
	if len(slots) == 1 {
		rt := b.Types.Of(sig.Results().At(0).Type())
		d, from := slots[0], plan.Results[0]
		if slot.ClassOf(rt) == slot.Class64 {
			return func(f unsafe.Pointer) {
				q := enter(f)
				run.Run(q)
				*slot.At[uint64](f, d) = *slot.At[uint64](q, from)
				run.Leave(q)
			}
		}
		move := slot.MoverOf(rt)
		return func(f unsafe.Pointer) {
			q := enter(f)
			run.Run(q)
			move(unsafe.Add(f, d), unsafe.Add(q, from))
			run.Leave(q)
		}
	}
	moves := make([]slot.Mover, len(slots))
	for n := range moves {
		moves[n] = slot.MoverOf(b.Types.Of(sig.Results().At(n).Type()))
	}
	return func(f unsafe.Pointer) {
		q := enter(f)
		run.Run(q)
		for n, move := range moves {
			move(unsafe.Add(f, slots[n]), unsafe.Add(q, plan.Results[n]))
		}
		run.Leave(q)
	}
}

// emitGo emits the start of a goroutine. Its parent computes the arguments.
func (b *body) emitGo(i *ssa.Go) {
	if builtin, ok := i.Call.Value.(*ssa.Builtin); ok {
		call := b.delayBuiltin(builtin, i.Call.Args)
		b.emit(func(f unsafe.Pointer) {
			do := call(f)
			g := run.HeadOf(f).G.Child()
			run.Go(g, func() { do(g.Root()) })
		})
		return
	}
	enter := b.resolveCall(&i.Call, i.Pos())
	b.emit(func(f unsafe.Pointer) { run.Spawn(f, enter) })
}

// emitDefer emits a call for the end of the function.
func (b *body) emitDefer(i *ssa.Defer) {
	b.runsDefers = true
	var stack func(unsafe.Pointer) unsafe.Pointer
	if i.DeferStack != nil {
		x := b.operand(i.DeferStack)
		stack = func(f unsafe.Pointer) unsafe.Pointer { return *slot.At[unsafe.Pointer](f, x) }
	} else {
		stack = func(f unsafe.Pointer) unsafe.Pointer { return f }
	}
	if builtin, ok := i.Call.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "recover" {
			b.emit(func(f unsafe.Pointer) { run.Push(stack(f), &run.Deferred{Recovers: true}) })
			return
		}
		call := b.delayBuiltin(builtin, i.Call.Args)
		b.emit(func(f unsafe.Pointer) { run.Push(stack(f), &run.Deferred{Call: call(f)}) })
		return
	}
	enter, pos := b.resolveCall(&i.Call, i.Pos()), i.Pos()
	if v, ok := i.Call.Value.(*ssa.Function); !ok || v.Blocks != nil {
		// a nil function value is called, and panics, at the end of the function
		enter = b.delayNilFault(enter, &i.Call, pos)
	}
	b.emit(func(f unsafe.Pointer) {
		if q := enter(f); q != nil {
			run.Push(stack(f), &run.Deferred{Frame: q})
		} else {
			run.Push(stack(f), &run.Deferred{Call: func(frame unsafe.Pointer) { fault.NilPointer(frame, pos) }})
		}
	})
}

// delayNilFault returns a callee that returns nil, instead of a panic, where the function value is nil.
func (b *body) delayNilFault(enter callee, c *ssa.CallCommon, pos token.Pos) callee {
	if c.IsInvoke() {
		return enter
	}
	if _, ok := c.Value.(*ssa.Function); ok {
		return enter
	}
	x := b.operand(c.Value)
	return func(f unsafe.Pointer) unsafe.Pointer {
		if *slot.At[unsafe.Pointer](f, x) == nil {
			return nil
		}
		return enter(f)
	}
}
