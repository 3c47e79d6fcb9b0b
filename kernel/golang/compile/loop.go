package compile

import (
	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// loops finds the edges that close loops: those that lead to a block on the way to where they start. Every loop has
// one, whatever goto statements made it.
func (b *body) loops() {
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

func (b *body) closes(from, to *ssa.BasicBlock) bool { return b.back[[2]int{from.Index, to.Index}] }

// Limits of thread: the number of jumps that a block takes over, and of steps of a block that is copied.
const (
	maxJumps = 4
	maxSteps = 4
)

// thread copies a short block into a block that jumps to it, so that a turn of a loop passes few blocks.
func thread(blocks []*run.Block) {
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
		takeBack(block, next)
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
	takeBack(block, next)
	return true
}

// takeBack makes a block check for interrupts if the block that it takes over does.
func takeBack(block, next *run.Block) {
	if next.Back && !block.Back {
		block.Back, block.Pos = true, next.Pos
	}
}
