package compile

import (
	"go/constant"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
)

// loopFault returns what go/ssa reports about a wrong iterator in the words of Go's runtime, nil for all other panics.
func (b *body) loopFault(i *ssa.Panic) func(frame unsafe.Pointer) {
	boxed, ok := i.X.(*ssa.MakeInterface)
	if !ok || i.Pos().IsValid() {
		return nil
	}
	text, ok := boxed.X.(*ssa.Const)
	if !ok || text.Value == nil || text.Value.Kind() != constant.String {
		return nil
	}
	const head = "runtime error: range function "
	switch constant.StringVal(text.Value) {
	case "iterator call did not preserve panic":
		return func(f unsafe.Pointer) {
			panic(fault.Message(head + "recovered a loop body panic and did not resume panicking"))
		}
	case "yield function called after range loop exit":
		state := b.loopState(i)
		return func(f unsafe.Pointer) {
			panic(fault.Message(head + "continued iteration after " + loopEnds[state(f)]))
		}
	}
	return nil
}

// loopEnds has how a loop over a function ended, by the state that go/ssa keeps.
var loopEnds = map[int]string{
	-1: "loop body panic",
	-2: "whole loop exit",
	0:  "function for loop body returned false",
}

// loopState reads the state of the loop that a fault is about: the branch before it has compared it. All other states
// are exits of the body.
func (b *body) loopState(i *ssa.Panic) func(frame unsafe.Pointer) int {
	fallback := func(unsafe.Pointer) int { return 0 }
	preds := i.Block().Preds
	if len(preds) != 1 {
		return fallback
	}
	branch, ok := preds[0].Instrs[len(preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return fallback
	}
	compared, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return fallback
	}
	state := b.integer(compared.X)
	return func(f unsafe.Pointer) int {
		switch n := state(f); n {
		case -1, -2:
			return n
		}
		return 0
	}
}
