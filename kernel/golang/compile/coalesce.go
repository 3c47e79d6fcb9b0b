package compile

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// coalesce lets the value that a loop computes for its next turn share the place of the phi value that takes it: no
// move is needed at the end of the turn. It is done only if the old value is certainly not read after the new one is
// written.
func (b *body) coalesce() {
	for _, block := range b.fn.Blocks {
		for _, instr := range block.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			for i, edge := range phi.Edges {
				if writesLast(edge) && b.mayShare(phi, edge, block.Preds[i]) {
					b.slots[edge] = b.slot(phi)
				}
			}
		}
	}
}

// writesLast reports whether the step of a value has read all it needs when it writes the value: operators and append.
func writesLast(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		return true
	case *ssa.Call:
		f, ok := v.Call.Value.(*ssa.Builtin)
		return ok && f.Name() == "append"
	}
	return false
}

// mayShare reports whether v may be written where phi lies: v serves phi alone, it is computed in the block that leads
// to phi and nowhere else, and from there on neither a step nor another phi value reads phi.
func (b *body) mayShare(phi *ssa.Phi, v ssa.Value, pred *ssa.BasicBlock) bool {
	if v.(ssa.Instruction).Block() != pred || len(pred.Succs) != 1 || b.fused[v] || len(*v.Referrers()) != 1 {
		return false
	}
	for _, instr := range phi.Block().Instrs {
		other, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		for i, edge := range other.Edges {
			if phi.Block().Preds[i] == pred && edge == ssa.Value(phi) {
				return false
			}
		}
	}
	at := slices.Index(pred.Instrs, v.(ssa.Instruction))
	return !slices.ContainsFunc(pred.Instrs[at+1:], func(i ssa.Instruction) bool { return b.reads(i, phi) })
}

// reads reports whether a step reads a value, itself or through an address that it computes for its use.
func (b *body) reads(i ssa.Instruction, v ssa.Value) bool {
	var room [8]*ssa.Value
	for _, operand := range i.Operands(room[:0]) {
		if *operand == nil {
			continue
		}
		if *operand == v {
			return true
		}
		if inner, ok := (*operand).(ssa.Instruction); ok && b.isComputedLate(*operand) && b.reads(inner, v) {
			return true
		}
	}
	return false
}

// isComputedLate reports whether a value is computed where it is used.
func (b *body) isComputedLate(v ssa.Value) bool {
	_, local := b.local[v]
	return b.fused[v] || local
}
