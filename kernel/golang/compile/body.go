package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// body compiles one function.
type body struct {
	*Compiler
	fn         *ssa.Function
	plan       slot.Plan
	slots      map[ssa.Value]uintptr
	keep       map[uintptr]bool // places whose pointers stay in a free frame
	constants  []preset
	blocks     map[*ssa.BasicBlock]*run.Block
	made       []*run.Block    // all blocks
	back       map[[2]int]bool // edges that close loops, by the numbers of their blocks
	results    []uintptr
	local      map[ssa.Value]place // addresses in the frame itself
	fused      map[ssa.Value]bool  // values that their only user computes
	spreads    map[ssa.Value]spread
	code       []run.Instr // of the block that is compiled
	runsDefers bool
	// lateDefers: the function runs deferred calls, and go/ssa has no step for it.
	hasLateDefers bool
}

// emit appends a step to the block that is compiled. A nil step does nothing.
func (b *body) emit(step run.Instr) {
	if step != nil {
		b.code = append(b.code, step)
	}
}

// kind returns the kind of what a value's type stands for.
func (b *body) kind(v ssa.Value) reflect.Kind { return layout.Unwrapped(b.Types.Of(v.Type())).Kind() }

// fieldAt finds a field below the layouts of cell types.
func fieldAt(rt reflect.Type, index int) (uintptr, reflect.Type) {
	f := layout.Unwrapped(rt).Field(index)
	return f.Offset, f.Type
}

// pointee returns the type behind a pointer.
func pointee(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// place is an address: in the frame itself, or behind a pointer that lies in the frame.
type place struct {
	inFrame bool    // offset counts from the frame, else from the pointer in slot
	slot    uintptr // the pointer
	offset  uintptr
	index   *ssa.IndexAddr // an element whose index is computed
	memory  unsafe.Pointer // the address itself, of a variable of the session or of a part of one
}

// preset is a constant of a frame.
type preset struct {
	offset uintptr
	rt     reflect.Type
	value  unsafe.Pointer
}

// spread has the elements that a call of append, or of a function that prints them, lists. go/ssa makes an array of
// them, which nothing sees afterwards, so it lies in the frame.
type spread struct {
	offset uintptr
	n      int
}
