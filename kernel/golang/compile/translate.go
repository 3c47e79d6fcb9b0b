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
	c.Session = native.New(dynamic.New(program, t, x.Crowd, c.invoke), library)
	c.Current.Store(x)
	return c
}

// compile returns the code of a function.
func (c *Compiler) compile(f *ssa.Function) *run.Code {
	if f.Blocks == nil {
		return c.compileExternal(f)
	}
	b := &body{Compiler: c, fn: f, slots: map[ssa.Value]uintptr{}, blocks: map[*ssa.BasicBlock]*run.Block{}}
	return b.compile()
}

func (b *body) compile() *run.Code {
	b.plan = slot.PlanOf(b.Types, b.fn.Signature)
	b.results = b.plan.Results
	b.keep = map[uintptr]bool{}
	b.fused = map[ssa.Value]bool{}
	b.local, b.spreads = map[ssa.Value]place{}, map[ssa.Value]spread{}
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
	b.placeSpreads()
	b.fuse()
	b.coalesce()
	b.findLoops()
	for _, block := range b.fn.Blocks {
		b.blocks[block] = &run.Block{}
		b.made = append(b.made, b.blocks[block])
	}
	for _, block := range b.fn.Blocks {
		b.emitBlock(block)
	}
	threadJumps(b.made)
	code := &run.Code{Entry: b.blocks[b.fn.Blocks[0]], Defers: b.runsDefers}
	if b.fn.Recover != nil {
		code.Recover = b.blocks[b.fn.Recover]
	}
	code.Clear = b.clearResults()
	code.Frame = b.plan.Frame()
	code.Constants = b.newTemplate(code.Frame)
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

// newTemplate returns a frame with the constants. It returns nil if there are none.
func (b *body) newTemplate(rt reflect.Type) unsafe.Pointer {
	if len(b.constants) == 0 {
		return nil
	}
	t := reflect.New(rt).UnsafePointer()
	for _, c := range b.constants {
		slot.MoverOf(c.rt)(unsafe.Add(t, c.offset), c.value)
	}
	return t
}

func (b *body) emitBlock(block *ssa.BasicBlock) {
	out := b.blocks[block]
	b.code = nil
	deferred := b.beforeReturn(block)
	for n, instr := range block.Instrs {
		if n == deferred {
			b.emit(run.RunDefers)
		}
		b.emitInstr(instr, block, out)
	}
	if len(block.Succs) == 1 {
		b.emitPhiMoves(block, block.Succs[0])
		out.Kind, out.Yes = run.Jump, b.blocks[block.Succs[0]]
		out.Back, out.Pos = b.closesLoop(block, block.Succs[0]), loopPlace(block, block.Succs[0])
	}
	out.Code = b.code
}

func (b *body) emitInstr(instr ssa.Instruction, block *ssa.BasicBlock, out *run.Block) {
	if v, ok := instr.(ssa.Value); ok && b.fused[v] {
		return
	}
	switch i := instr.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.Jump:
	case *ssa.If:
		out.Kind = run.Branch
		out.Cond = b.condition(i.Cond)
		out.Yes, out.No = b.branchTarget(block, block.Succs[0]), b.branchTarget(block, block.Succs[1])
	case *ssa.Return:
		out.Kind = run.Return
		b.emitReturn(i)
	case *ssa.Panic:
		b.emitPanic(i)
		out.Kind = run.Return
	case *ssa.Alloc:
		b.emitAlloc(i)
	case *ssa.BinOp:
		b.emitBinary(i)
	case *ssa.UnOp:
		b.emitUnary(i)
	case *ssa.Store:
		b.emitStore(i)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		b.emitAddress(instr.(ssa.Value))
	case *ssa.Field:
		b.emitField(i)
	case *ssa.Index:
		b.emitIndex(i)
	case *ssa.Extract:
		b.placeExtract(i)
	case *ssa.Call:
		b.emitCall(i)
	case *ssa.Go:
		b.emitGo(i)
	case *ssa.Defer:
		b.emitDefer(i)
	case *ssa.RunDefers:
		b.emit(run.RunDefers)
	case *ssa.ChangeType:
		b.emitChangeType(i)
	case *ssa.Convert:
		b.emitConvert(i)
	case *ssa.MultiConvert:
		b.emitConvertTo(i, i.X)
	case *ssa.ChangeInterface:
		b.emitChangeInterface(i)
	case *ssa.MakeInterface:
		b.emitMakeInterface(i)
	case *ssa.TypeAssert:
		b.emitTypeAssert(i)
	case *ssa.MakeClosure:
		b.emitMakeClosure(i)
	case *ssa.MakeSlice:
		b.emitMakeSlice(i)
	case *ssa.Slice:
		b.emitSlice(i)
	case *ssa.SliceToArrayPointer:
		b.emitSliceToArrayPointer(i)
	case *ssa.MakeMap:
		b.emitMakeMap(i)
	case *ssa.MapUpdate:
		b.emitMapUpdate(i)
	case *ssa.Lookup:
		b.emitLookup(i)
	case *ssa.Range:
		b.emitRange(i)
	case *ssa.Next:
		b.emitNext(i)
	case *ssa.MakeChan:
		b.emitMakeChan(i)
	case *ssa.Send:
		b.emitSend(i)
	case *ssa.Select:
		b.emitSelect(i)
	default:
		panic(fmt.Sprintf("compile: no step for %T in %s", instr, b.fn))
	}
}

func (b *body) emitUnary(i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		b.emitLoad(i)
	case token.ARROW:
		b.emitReceive(i)
	default:
		x := b.operand(i.X)
		b.emit(step.Unary(i, b.kind(i), b.slot(i), x))
	}
}

// branchTarget returns the block that a branch goes to. It is a block of its own where phi values move first or a loop
// closes.
func (b *body) branchTarget(from, to *ssa.BasicBlock) *run.Block {
	saved := b.code
	b.code = nil
	b.emitPhiMoves(from, to)
	moves := b.code
	b.code = saved
	closes := b.closesLoop(from, to)
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

// emitPhiMoves emits the moves of phi values. They happen at once: if one overwrites what another reads, all of them go
// through temporary places.
func (b *body) emitPhiMoves(from, to *ssa.BasicBlock) {
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
				b.emitSwap(moves)
				return
			}
		}
	}
	for _, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, m.from))
	}
}

// emitSwap emits moves of which one overwrites what another reads.
func (b *body) emitSwap(moves []phiMove) {
	temporary := make([]uintptr, len(moves))
	for i, m := range moves {
		temporary[i] = b.plan.Add(m.rt)
		b.emit(slot.Copy(m.rt, temporary[i], m.from))
	}
	for i, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, temporary[i]))
	}
}

func (b *body) emitField(i *ssa.Field) {
	st := b.Types.Of(i.X.Type())
	offset, rt := fieldAt(st, i.Field)
	b.emit(slot.Copy(rt, b.slot(i), b.operand(i.X)+offset))
}

func (b *body) emitReturn(i *ssa.Return) {
	var moves []phiMove
	for n, v := range i.Results {
		moves = append(moves, phiMove{b.results[n], b.operand(v), b.Types.Of(v.Type())})
	}
	for _, m := range moves {
		b.emit(slot.Copy(m.rt, m.to, m.from))
	}
}

func (b *body) emitPanic(i *ssa.Panic) {
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
