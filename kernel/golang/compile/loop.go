package compile

import (
	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// findLoops finds the edges that close loops: those that lead back to a block on the path to where they start. Every
// loop has one, also a loop of goto statements.
func (b *body) findLoops() {
	const open, done = 1, 2
	state := make([]uint8, len(b.fn.Blocks))
	b.back = map[[2]int]bool{}
	var visit func(block *ssa.BasicBlock)
	visit = func(block *ssa.BasicBlock) {
		state[block.Index] = open
		for _, next := range block.Succs {
			switch state[next.Index] {
			case 0:
				visit(next)
			case open:
				b.back[[2]int{block.Index, next.Index}] = true
			}
		}
		state[block.Index] = done
	}
	for _, block := range b.fn.Blocks {
		if state[block.Index] == 0 {
			visit(block)
		}
	}
}

// closesLoop reports whether an edge closes a loop.
func (b *body) closesLoop(from, to *ssa.BasicBlock) bool { return b.back[[2]int{from.Index, to.Index}] }

// Limits of threadJumps: the number of jumps that a block takes over, and of steps of a block that is copied.
const (
	maxJumps = 4
	maxSteps = 4
)

// threadJumps copies a short block into a block that jumps to it, so that a turn of a loop passes few blocks.
func threadJumps(blocks []*run.Block) {
	for _, block := range blocks {
		for range maxJumps {
			if !follow(block) {
				break
			}
		}
	}
}

func follow(block *run.Block) bool {
	switch block.Kind {
	case run.Jump:
		next := block.Yes
		if next == block || len(next.Code) > maxSteps {
			return false
		}
		code := block.Code
		if len(next.Code) > 0 {
			code = append(append(make([]run.Instr, 0, len(code)+len(next.Code)), code...), next.Code...)
		}
		block.Code, block.Kind, block.Cond, block.Yes, block.No = code, next.Kind, next.Cond, next.Yes, next.No
		keepBackEdge(block, next)
		return true
	case run.Branch:
		yes, no := skip(block, &block.Yes), skip(block, &block.No)
		return yes || no
	}
	return false
}

// skip leaves out a block that only jumps.
func skip(block *run.Block, to **run.Block) bool {
	next := *to
	if next.Kind != run.Jump || len(next.Code) > 0 || next.Yes == next {
		return false
	}
	*to = next.Yes
	keepBackEdge(block, next)
	return true
}

// keepBackEdge makes a block check for interrupts if the next block does, which it replaces.
func keepBackEdge(block, next *run.Block) {
	if next.Back && !block.Back {
		block.Back, block.Pos = true, next.Pos
	}
}
