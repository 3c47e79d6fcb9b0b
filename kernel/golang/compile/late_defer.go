package compile

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// findLateDefers checks whether bodies of loops over functions, which are functions of their own, may defer calls of
// this one. go/ssa leaves out the step that runs them where the function itself has no defer statement.
func (b *body) findLateDefers() {
	stack, runs := false, false
	for _, block := range b.fn.Blocks {
		for _, instr := range block.Instrs {
			switch i := instr.(type) {
			case *ssa.Call:
				builtin, ok := i.Call.Value.(*ssa.Builtin)
				stack = stack || ok && builtin.Name() == "ssa:deferstack"
			case *ssa.RunDefers:
				runs = true
			}
		}
	}
	b.runsDefers = stack
	b.hasLateDefers = stack && !runs
}

// beforeReturn finds where the deferred calls belong: before the results are read. It is -1 in other blocks.
func (b *body) beforeReturn(block *ssa.BasicBlock) int {
	last := len(block.Instrs) - 1
	ret, ok := block.Instrs[last].(*ssa.Return)
	if !ok || !b.hasLateDefers || block == b.fn.Recover {
		return -1
	}
	for last > 0 {
		load, ok := block.Instrs[last-1].(*ssa.UnOp)
		if !ok || load.Op != token.MUL || !slices.Contains(ret.Results, ssa.Value(load)) {
			break
		}
		last--
	}
	return last
}
