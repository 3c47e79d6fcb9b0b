package compile

import (
	"go/token"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
)

func (b *body) emitBinary(i *ssa.BinOp) {
	switch i.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		test := b.comparison(i)
		d := b.slot(i)
		b.emit(func(f unsafe.Pointer) { *slot.At[bool](f, d) = test(f) })
		return
	}
	b.emitOperation(i, slot.Ref{Offset: b.slot(i)})
}

// emitOperation emits an operation that writes its result to a place.
func (b *body) emitOperation(i *ssa.BinOp, to slot.Ref) {
	b.emit(step.Binary(i, b.kind(i), b.kind(i.Y), to, b.source(i.X), b.source(i.Y)))
}
