package compile

import (
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// placeLocals assigns the variables that do not escape a place in the frame.
func (b *body) placeLocals() {
	for _, l := range b.fn.Locals {
		if !l.Heap {
			rt := b.Types.Of(pointee(l.Type()))
			b.local[l] = place{inFrame: true, offset: b.plan.Add(rt)}
		}
	}
}

// needsPointer reports whether the address of a local variable is used other than to read, write or step into it.
func (b *body) needsPointer(v ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch u := user.(type) {
		case *ssa.UnOp:
		case *ssa.Store:
			if u.Val == v {
				return true
			}
		case *ssa.FieldAddr:
		case *ssa.IndexAddr:
		case *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// fuse finds addresses that are computed where they are used: by one read or write in the same block.
func (b *body) fuse() {
	for _, block := range b.fn.Blocks {
		for _, instr := range block.Instrs {
			switch i := instr.(type) {
			case *ssa.FieldAddr:
				b.fuseAddress(i, i.X)
			case *ssa.IndexAddr:
				b.fuseAddress(i, i.X)
			case *ssa.BinOp:
				b.fuseCondition(i)
			case *ssa.Call:
				b.fuseMeasuredType(i)
			}
		}
	}
	b.fuseVariables()
}

func (b *body) fuseAddress(v ssa.Value, base ssa.Value) {
	if f, ok := v.(*ssa.FieldAddr); ok { // a field of a place that is known needs no pointer at all
		if l, ok := b.local[base]; ok {
			offset, _ := fieldAt(b.Types.Of(pointee(f.X.Type())), f.Field)
			l.offset += offset
			b.local[v] = l
			b.fused[v] = !b.needsPointer(v)
			return
		}
	}
	users := *v.Referrers()
	if len(users) != 1 || users[0].Block() != v.(ssa.Instruction).Block() {
		return
	}
	switch u := users[0].(type) {
	case *ssa.UnOp:
		b.fused[v] = u.Op == token.MUL && !b.changesBetween(v.(ssa.Instruction), u)
	case *ssa.Store:
		b.fused[v] = u.Addr == v && u.Val != v
	}
}

// changesBetween reports whether a step between an address and its read changes memory or the order of faults.
func (b *body) changesBetween(from, to ssa.Instruction) bool {
	seen := false
	for _, i := range from.Block().Instrs {
		if i == from {
			seen = true
			continue
		}
		if i == to {
			return false
		}
		if !seen {
			continue
		}
		switch i.(type) {
		case *ssa.Call, *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.RunDefers, *ssa.Go, *ssa.Defer:
			return true
		}
	}
	return true
}

// fuseCondition leaves a comparison to the branch that is its only user.
func (b *body) fuseCondition(i *ssa.BinOp) {
	switch i.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return
	}
	users := *i.Referrers()
	if len(users) != 1 {
		return
	}
	branch, ok := users[0].(*ssa.If)
	if !ok || branch.Block() != i.Block() {
		return
	}
	instrs := i.Block().Instrs // right before the branch
	b.fused[i] = len(instrs) > 1 && instrs[len(instrs)-2] == ssa.Instruction(i)
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
				b.fused[load] = b.canReadLate(load, block.Instrs[n+1:])
			}
		}
	}
}

// fuseWrite leaves an operation to the step that stores its result, if that is the next one and its only user.
func (b *body) fuseWrite(op *ssa.BinOp, rest []ssa.Instruction) {
	store, ok := rest[0].(*ssa.Store)
	if !ok || store.Val != ssa.Value(op) || len(*op.Referrers()) != 1 || !b.canTakeVariables(op) {
		return
	}
	b.fused[op] = b.memory(store.Addr) != nil
}

// canTakeVariables reports whether an operation has a form that reads and writes variables.
func (b *body) canTakeVariables(op *ssa.BinOp) bool {
	switch op.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT,
		token.SHL, token.SHR:
		kind := layout.Unwrapped(b.Types.Of(op.Type())).Kind()
		return layout.IsNumeric(kind)
	}
	return false
}

// canReadLate reports whether a variable may be read by the only step that uses it: nothing in between changes memory.
func (b *body) canReadLate(load *ssa.UnOp, rest []ssa.Instruction) bool {
	users := *load.Referrers()
	if len(users) != 1 || !b.canReadVariable(users[0], load) {
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

// canReadVariable reports whether a step has a form that reads a variable.
func (b *body) canReadVariable(user ssa.Instruction, load *ssa.UnOp) bool {
	switch u := user.(type) {
	case *ssa.BinOp:
		switch u.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return b.fused[u] && isOrdered(layout.Unwrapped(b.Types.Of(load.Type())).Kind())
		}
		return b.canTakeVariables(u)
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

func isOrdered(k reflect.Kind) bool {
	return layout.IsNumeric(k) || k == reflect.Bool || k == reflect.String
}

// measuresType reports whether a predeclared function uses only the type of its argument, and does not evaluate it.
func measuresType(f *ssa.Builtin) bool {
	return f.Name() == "Sizeof" || f.Name() == "Alignof" || f.Name() == "Offsetof"
}

// fuseMeasuredType leaves out the steps that compute the argument of such a function: a pointer in it may be nil.
func (b *body) fuseMeasuredType(call *ssa.Call) {
	f, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || !measuresType(f) {
		return
	}
	v := call.Call.Args[0]
	for v.Referrers() != nil && len(*v.Referrers()) == 1 {
		switch i := v.(type) {
		case *ssa.UnOp:
			if i.Op != token.MUL {
				return
			}
			b.fused[v], v = true, i.X
		case *ssa.FieldAddr:
			b.fused[v], v = true, i.X
		case *ssa.Field:
			b.fused[v], v = true, i.X
		case *ssa.IndexAddr:
			b.fused[v], v = true, i.X
		default:
			return
		}
	}
}
