package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// The variables of cells belong to the session, so go/ssa reads and writes them by steps of their own. Where nothing
// can tell the difference, the step that uses a variable reads it itself, and the one that computes its new value
// writes it.

// ref is where a value lies: in the frame, or in memory that never moves.
type ref struct {
	memory unsafe.Pointer // nil: in the frame
	offset uintptr        // in the frame
}

func (r ref) at(frame unsafe.Pointer) unsafe.Pointer {
	if r.memory != nil {
		return r.memory
	}
	return unsafe.Add(frame, r.offset)
}

// memory gives the address of a variable of the session, or of a part of one, where it is known before the code runs.
func (b *body) memory(v ssa.Value) unsafe.Pointer {
	switch v := v.(type) {
	case *ssa.Global:
		return b.Global(v)
	case *ssa.FieldAddr:
		if base := b.memory(v.X); base != nil {
			offset, _ := fieldAt(b.Types.Of(pointee(v.X.Type())), v.Field)
			return unsafe.Add(base, offset)
		}
	case *ssa.IndexAddr:
		p, ok := v.X.Type().Underlying().(*types.Pointer)
		n, known := v.Index.(*ssa.Const)
		if !ok || !known || n.Value == nil || n.Value.Kind() != constant.Int {
			return nil
		}
		array := p.Elem().Underlying().(*types.Array)
		base := b.memory(v.X)
		if index, exact := constant.Int64Val(n.Value); base != nil && exact && index >= 0 && index < array.Len() {
			return unsafe.Add(base, uintptr(index)*b.Types.Of(array.Elem()).Size())
		}
	}
	return nil
}

// source is where an operand is read.
func (b *body) source(v ssa.Value) ref {
	if load, ok := v.(*ssa.UnOp); ok && b.fused[v] {
		return ref{memory: b.memory(load.X)}
	}
	return ref{offset: b.operand(v)}
}

// fuseVariables finds what reads and writes variables without a step of its own. The values that other steps compute
// are known by now.
func (b *body) fuseVariables() {
	for _, block := range b.fn.Blocks {
		for n, instr := range block.Instrs {
			if op, ok := instr.(*ssa.BinOp); ok {
				b.fuseWrite(op, block.Instrs[n+1:])
			}
		}
	}
	for _, block := range b.fn.Blocks {
		for n, instr := range block.Instrs {
			load, ok := instr.(*ssa.UnOp)
			if ok && load.Op == token.MUL && b.memory(load.X) != nil {
				b.fused[load] = b.readLate(load, block.Instrs[n+1:])
			}
		}
	}
}

// fuseWrite leaves an operation to the step that stores its result, if that is the next one and its only user.
func (b *body) fuseWrite(op *ssa.BinOp, rest []ssa.Instruction) {
	store, ok := rest[0].(*ssa.Store)
	if !ok || store.Val != ssa.Value(op) || len(*op.Referrers()) != 1 || !b.operates(op) {
		return
	}
	b.fused[op] = b.memory(store.Addr) != nil
}

// operates tells whether an operation has a form that reads and writes variables.
func (b *body) operates(op *ssa.BinOp) bool {
	switch op.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT,
		token.SHL, token.SHR:
		kind := under(b.Types.Of(op.Type())).Kind()
		return numeric(kind)
	}
	return false
}

// readLate tells whether a variable may be read by the only step that uses it: nothing in between changes memory.
func (b *body) readLate(load *ssa.UnOp, rest []ssa.Instruction) bool {
	users := *load.Referrers()
	if len(users) != 1 || !b.readsVariable(users[0], load) {
		return false
	}
	last := users[0]
	for { // an operation that its user computes reads as late as that
		v, ok := last.(ssa.Value)
		if !ok || !b.fused[v] {
			break
		}
		last = (*v.Referrers())[0]
	}
	for _, instr := range rest {
		if instr == last {
			return true
		}
		switch i := instr.(type) {
		case *ssa.UnOp:
			if i.Op == token.ARROW {
				return false
			}
		case *ssa.BinOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Extract, *ssa.Convert,
			*ssa.ChangeType, *ssa.DebugRef:
		default:
			return false
		}
	}
	return false
}

// readsVariable tells whether a step has a form that reads a variable.
func (b *body) readsVariable(user ssa.Instruction, load *ssa.UnOp) bool {
	switch u := user.(type) {
	case *ssa.BinOp:
		switch u.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return b.fused[u] && ordered(under(b.Types.Of(load.Type())).Kind())
		}
		return b.operates(u)
	case *ssa.If:
		return true
	case *ssa.IndexAddr:
		return u.Index == ssa.Value(load) || isSlice(u.X.Type())
	}
	return false
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func ordered(k reflect.Kind) bool { return numeric(k) || k == reflect.Bool || k == reflect.String }
