package compile

import (
	"fmt"
	"go/token"
	"reflect"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/native"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// New makes a compiler for a program.
func New(program *ssa.Program, t *layout.Types, library Library) *Compiler {
	c := &Compiler{
		library:   library,
		functions: map[*ssa.Function]*run.Func{}, globals: map[weak.Pointer[ssa.Global]]unsafe.Pointer{},
	}
	x := run.NewExecution(nil)
	c.translate = c.compile
	c.Session = native.New(dynamic.New(program, t, library, x.Crowd, c.invoke), library)
	c.Current.Store(x)
	return c
}

// compile makes the body of a function.
func (c *Compiler) compile(f *ssa.Function) *run.Code {
	if f.Blocks == nil {
		return c.external(f)
	}
	b := &body{Compiler: c, fn: f, slots: map[ssa.Value]uintptr{}, blocks: map[*ssa.BasicBlock]*run.Block{}}
	return b.compile()
}

func (b *body) compile() *run.Code {
	b.plan = slot.PlanOf(b.Types, b.fn.Signature)
	b.results = b.plan.Results
	b.keep = map[uintptr]bool{}
	b.fused = map[ssa.Value]bool{}
	b.local = map[ssa.Value]place{}
	params := b.fn.Params
	if b.fn.Signature.Recv() != nil { // the receiver comes last
		for i, p := range params[1:] {
			b.slots[p] = b.plan.Params[i]
		}
		b.slots[params[0]] = b.plan.Add(b.Types.Of(params[0].Type()))
	} else {
		for i, p := range params {
			b.slots[p] = b.plan.Params[i]
		}
	}
	for _, v := range b.fn.FreeVars {
		b.slots[v] = b.plan.Add(b.Types.Of(v.Type()))
	}
	b.findLateDefers()
	b.placeLocals()
	b.fuse()
	b.coalesce()
	b.loops()
	for _, block := range b.fn.Blocks {
		b.blocks[block] = &run.Block{}
		b.made = append(b.made, b.blocks[block])
	}
	for _, block := range b.fn.Blocks {
		b.block(block)
	}
	thread(b.made)
	code := &run.Code{Entry: b.blocks[b.fn.Blocks[0]], Defers: b.defers}
	if b.fn.Recover != nil {
		code.Recover = b.blocks[b.fn.Recover]
	}
	code.Clear = b.clearResults()
	code.Frame = b.plan.Frame()
	code.Constants = b.template(code.Frame)
	for _, f := range b.plan.Fields {
		if !b.keep[f.Offset] && len(code.Pointers) < slot.MaxPointers {
			code.Pointers = slot.Pointers(f.Type, f.Offset, code.Pointers)
		}
	}
	return code
}

func (b *body) clearResults() func(unsafe.Pointer) {
	var clears []func(unsafe.Pointer)
	for i, offset := range b.results {
		clear := slot.ClearerOf(b.Types.Of(b.fn.Signature.Results().At(i).Type()))
		clears = append(clears, func(frame unsafe.Pointer) { clear(unsafe.Add(frame, offset)) })
	}
	return func(frame unsafe.Pointer) {
		for _, clear := range clears {
			clear(frame)
		}
	}
}

// template is a frame with the constants.
func (b *body) template(rt reflect.Type) unsafe.Pointer {
	if len(b.constants) == 0 {
		return nil
	}
	t := reflect.New(rt).UnsafePointer()
	for _, c := range b.constants {
		slot.MoverOf(c.rt)(unsafe.Add(t, c.offset), c.value)
	}
	return t
}

func (b *body) block(block *ssa.BasicBlock) {
	out := b.blocks[block]
	b.code = nil
	deferred := b.beforeReturn(block)
	for n, instr := range block.Instrs {
		if n == deferred {
			b.emit(run.RunDefers)
		}
		b.instr(instr, block, out)
	}
	if len(block.Succs) == 1 {
		b.edge(block, block.Succs[0])
		out.Kind, out.Yes = run.Jump, b.blocks[block.Succs[0]]
		out.Back, out.Pos = b.closes(block, block.Succs[0]), loopPlace(block, block.Succs[0])
	}
	out.Code = b.code
}

func (b *body) instr(instr ssa.Instruction, block *ssa.BasicBlock, out *run.Block) {
	if v, ok := instr.(ssa.Value); ok && b.fused[v] {
		return
	}
	switch i := instr.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.Jump:
	case *ssa.If:
		out.Kind = run.Branch
		out.Cond = b.condition(i.Cond)
		out.Yes, out.No = b.through(block, block.Succs[0]), b.through(block, block.Succs[1])
	case *ssa.Return:
		out.Kind = run.Return
		b.ret(i)
	case *ssa.Panic:
		b.panics(i)
		out.Kind = run.Return
	case *ssa.Alloc:
		b.alloc(i)
	case *ssa.BinOp:
		b.binary(i)
	case *ssa.UnOp:
		b.unary(i)
	case *ssa.Store:
		b.store(i)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		b.address(instr.(ssa.Value))
	case *ssa.Field:
		b.field(i)
	case *ssa.Index:
		b.index(i)
	case *ssa.Extract:
		b.extract(i)
	case *ssa.Call:
		b.call(i)
	case *ssa.Go:
		b.goes(i)
	case *ssa.Defer:
		b.deferred(i)
	case *ssa.RunDefers:
		b.emit(run.RunDefers)
	case *ssa.ChangeType:
		b.changeType(i)
	case *ssa.Convert:
		b.convert(i)
	case *ssa.MultiConvert:
		b.convertTo(i, i.X)
	case *ssa.ChangeInterface:
		b.changeInterface(i)
	case *ssa.MakeInterface:
		b.makeInterface(i)
	case *ssa.TypeAssert:
		b.typeAssert(i)
	case *ssa.MakeClosure:
		b.makeClosure(i)
	case *ssa.MakeSlice:
		b.makeSlice(i)
	case *ssa.Slice:
		b.slice(i)
	case *ssa.SliceToArrayPointer:
		b.sliceToArray(i)
	case *ssa.MakeMap:
		b.makeMap(i)
	case *ssa.MapUpdate:
		b.mapUpdate(i)
	case *ssa.Lookup:
		b.lookup(i)
	case *ssa.Range:
		b.ranges(i)
	case *ssa.Next:
		b.next(i)
	case *ssa.MakeChan:
		b.makeChan(i)
	case *ssa.Send:
		b.send(i)
	case *ssa.Select:
		b.selects(i)
	default:
		panic(fmt.Sprintf("compile: no step for %T in %s", instr, b.fn))
	}
}

func (b *body) unary(i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		b.load(i)
	case token.ARROW:
		b.receive(i)
	default:
		x := b.operand(i.X)
		b.emit(step.Unary(i, b.kind(i), b.slot(i), x))
	}
}

// through returns the block that a branch goes to: one that moves phi values first, if there are any.
func (b *body) through(from, to *ssa.BasicBlock) *run.Block {
	saved := b.code
	b.code = nil
	b.edge(from, to)
	moves := b.code
	b.code = saved
	closes := b.closes(from, to)
	if len(moves) == 0 && !closes {
		return b.blocks[to]
	}
	made := &run.Block{Code: moves, Kind: run.Jump, Yes: b.blocks[to], Back: closes, Pos: loopPlace(from, to)}
	b.made = append(b.made, made)
	return made
}

type phiMove struct {
	to, from uintptr
	rt       reflect.Type
}

// edge emits the moves of phi values. They happen at once, so if one overwrites what another reads, all go through
// temporary places.
func (b *body) edge(from, to *ssa.BasicBlock) {
	index := -1
	for i, p := range to.Preds {
		if p == from {
			index = i
			break
		}
	}
	var moves []phiMove
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		m := phiMove{b.slot(phi), b.operand(phi.Edges[index]), b.Types.Of(phi.Type())}
		if m.to != m.from {
			moves = append(moves, m)
		}
	}
	for i := range moves {
		for j := range moves[:i] {
			if moves[j].to == moves[i].from {
				b.swap(moves)
				return
			}
		}
	}
	for _, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, m.from))
	}
}

func (b *body) swap(moves []phiMove) {
	temporary := make([]uintptr, len(moves))
	for i, m := range moves {
		temporary[i] = b.plan.Add(m.rt)
		b.emit(slot.Copy(m.rt, temporary[i], m.from))
	}
	for i, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, temporary[i]))
	}
}

func (b *body) field(i *ssa.Field) {
	st := b.Types.Of(i.X.Type())
	offset, rt := fieldAt(st, i.Field)
	b.emit(slot.Copy(rt, b.slot(i), b.operand(i.X)+offset))
}

func (b *body) ret(i *ssa.Return) {
	var moves []phiMove
	for n, v := range i.Results {
		moves = append(moves, phiMove{b.results[n], b.operand(v), b.Types.Of(v.Type())})
	}
	for _, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, m.from))
	}
}

func (b *body) panics(i *ssa.Panic) {
	if step := b.loopFault(i); step != nil {
		b.emit(step)
		return
	}
	x, pos := b.operand(i.X), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		run.HeadOf(f).Site = pos
		panic(*slot.At[any](f, x))
	})
}
