package compile

import (
	"go/token"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
)

func (b *body) binary(i *ssa.BinOp) {
	switch i.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		test := b.comparison(i)
		d := b.slot(i)
		b.emit(func(f unsafe.Pointer) { *slot.At[bool](f, d) = test(f) })
		return
	}
	b.operate(i, slot.Ref{Offset: b.slot(i)})
}

// operate emits an operation whose result goes to a place.
func (b *body) operate(i *ssa.BinOp, to slot.Ref) {
	b.emit(step.Binary(i, b.kind(i), b.kind(i.Y), to, b.source(i.X), b.source(i.Y)))
}
