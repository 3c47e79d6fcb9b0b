package interp

import (
	"context"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

type frontEndKey struct{}

// FrontEnd returns the front end of the cell that ctx, the cell's variable ctx or a context made from it, belongs to. By it linked packages show what changes
// while they run, for example progress. False: ctx is of no cell.
func FrontEnd(ctx context.Context) (kernel.IO, bool) {
	io, ok := ctx.Value(frontEndKey{}).(kernel.IO)
	return io, ok
}

// frontEnd is the engine's front end, except that what was printed before is shown before.
type frontEnd struct {
	kernel.IO
	engine *Engine
}

func (f frontEnd) Display(d display.Data) error { f.engine.flush(); return f.IO.Display(d) }

func (f frontEnd) Update(d display.Data) error { f.engine.flush(); return f.IO.Update(d) }

func (f frontEnd) ClearOutput(wait bool) error { f.engine.flush(); return f.IO.ClearOutput(wait) }
