package run

import (
	"io"
	"os"
	"sync/atomic"
	"unsafe"
)

// label is how runtime/pprof keeps one label of a goroutine.
type label struct{ key, value string }

// marker is the label of goroutines that run functions of cells. Its address distinguishes it from labels of others.
var marker = []label{{"spherelab", "cell"}}

// G is a goroutine that runs functions of cells, or the part of one that compiled code has called.
//
// The first G of a goroutine lies where the runtime keeps a goroutine's labels for profiles: that finds it again when
// compiled code calls a function of a cell. A goroutine inherits the labels of the one that starts it, so self reports
// whether a G is the goroutine's own; if not, compiled code has started the goroutine, for the cell of that G.
type G struct {
	labels      []label        // must be first: profiles read them
	self        atomic.Uintptr // the goroutine of which this is the first G; 0 once that has ended
	top         *G             // of the first G: the innermost
	foreign     foreign
	Exec        *Execution
	output      Output // of the cell that started the goroutine
	current     unsafe.Pointer
	root        Head
	pools       []pool
	obeyed      int32 // calls of Stop that the goroutine has ended for: its deferred calls run
	base        int   // the calls that were active before the first of this G
	isTooDeep   bool  // infinite recursion is ending it, and compiled code must not hide that from the others
	trace       []Call
	hasPanicked bool   // a function that compiled code called has panicked
	inner       []Call // of that function
}

// foreign is what is known about a goroutine whose first call of a cell's function comes from compiled code.
type foreign uint8

const (
	own     foreign = iota
	started         // by compiled code
	unnamed         // it may also be a cell's, which has lost its label
)

//go:linkname runtimeLabels runtime/pprof.runtime_getProfLabel
func runtimeLabels() unsafe.Pointer

//go:linkname setRuntimeLabels runtime/pprof.runtime_setProfLabel
func setRuntimeLabels(labels unsafe.Pointer)

// first finds the first G of the calling goroutine, or else of the one that it comes from; nil where none is known.
func first() *G {
	p := runtimeLabels()
	if p == nil {
		return nil
	}
	if labels := *(*[]label)(p); unsafe.SliceData(labels) != &marker[0] {
		return nil
	}
	return (*G)(p)
}

// NewG starts counting for a goroutine.
func NewG(x *Execution) *G { return &G{Exec: x, output: x.Output} }

// Child starts counting for a goroutine that this one starts.
func (g *G) Child() *G { return &G{Exec: g.Exec, output: g.output} }

// Writer is what a cell writes to when it writes to w: its own output in place of standard output and error.
func (g *G) Writer(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && g.output != nil {
		if own := g.output.Stream(f); own != nil {
			return own
		}
	}
	return w
}

// OutputHere returns the output of the cell that started the calling goroutine, if compiled code runs there for a cell,
// otherwise nil.
func OutputHere() Output {
	f := first()
	switch {
	case f == nil:
		return nil
	case f.self.Load() == self():
		return f.top.output
	}
	return f.output
}

// Begin makes g the first G of the calling goroutine. End must follow it.
func (g *G) Begin() {
	g.Exec.Crowd.join()
	g.name()
}

func (g *G) name() {
	g.labels, g.top = marker, g
	g.self.Store(self())
	setRuntimeLabels(unsafe.Pointer(g))
}

// End is the end of the goroutine: another one may now have its place in the runtime.
func (g *G) End() {
	g.self.Store(0)
	setRuntimeLabels(nil)
	g.Exec.Crowd.n.Add(-1)
}

// Root returns a frame without a function, as the caller of a goroutine's first call. There is one for a G.
func (g *G) Root() unsafe.Pointer {
	g.root = Head{G: g, depth: g.base}
	return unsafe.Pointer(&g.root)
}

// Loan is a call of a cell's function by compiled code.
type Loan struct {
	*G
	first, outer *G
	labels       unsafe.Pointer
}

// outerDepth is what a call by compiled code counts for: the stack holds calls of that, too.
const outerDepth = 10

// CountOuter makes an entered call count as one by compiled code.
func CountOuter(frame unsafe.Pointer) { HeadOf(frame).depth += outerDepth - 1 }

// Lend makes g, which is not in use, the G of a call by compiled code. x is the cell that runs.
func (x *Execution) Lend(g *G) Loan {
	f := first()
	if f != nil && f.self.Load() == self() {
		outer := f.top
		g.Exec, g.output, g.obeyed, g.base = outer.Exec, outer.output, outer.obeyed, outer.depth()+outerDepth
		f.top = g
		return Loan{G: g, first: f, outer: outer}
	}
	l := Loan{G: &G{Exec: x, output: x.Output, foreign: unnamed}, labels: runtimeLabels()}
	if f != nil {
		l.foreign, l.output = started, f.output
		if !f.Exec.hasEnded.Load() {
			l.Exec = f.Exec
		}
	}
	if l.Exec.lent.Load() > 0 { // the call may be for a deferred call, so it runs to its end as that does
		l.obeyed = l.Exec.stops.Load()
	}
	l.first = l.G
	l.Begin()
	return l
}

func (g *G) depth() int {
	if g.current == nil {
		return g.base
	}
	return HeadOf(g.current).depth
}

// Return ends the call.
func (l *Loan) Return() {
	if l.outer != nil {
		l.first.top = l.outer
		return
	}
	l.self.Store(0)
	setRuntimeLabels(l.labels)
	l.Exec.Crowd.n.Add(-1)
}

// isOutermost reports whether the call is the first of a cell's function on a goroutine that compiled code has started.
// Its panic must end there, by contain, as it would end the program.
func (l *Loan) isOutermost() bool {
	return l.foreign == started || l.foreign == unnamed && foreignStack()
}

// unwind is Return for a call that panics. The calls are kept for the goroutine, which compiled code lets panic too, or
// not.
func (l *Loan) unwind() {
	if len(l.trace) == 0 {
		l.keepTrace()
	}
	if l.outer != nil {
		l.outer.hasPanicked, l.outer.inner = true, l.trace
		l.outer.isTooDeep = l.outer.isTooDeep || l.isTooDeep
	}
	l.Return()
}

// Trace returns the calls of a function of a cell that panicked, of which compiled code on the calling goroutine
// learns.
func Trace() []Call {
	if f := first(); f != nil && f.self.Load() == self() {
		return f.top.inner
	}
	return nil
}

// finishRecovery does what must follow a panic that compiled code has recovered.
func (g *G) finishRecovery() {
	g.hasPanicked, g.inner = false, nil
	if g.isTooDeep {
		panic(DepthError{})
	}
}

// FinishRecovery must follow a call of compiled code that a cell does not make.
func FinishRecovery() {
	if f := first(); f != nil && f.self.Load() == self() {
		f.top.finishRecovery()
	}
}

// CanReuse reports whether the G may serve another call. Goroutines that compiled code has started during the call know
// the first G of theirs.
func (l *Loan) CanReuse() bool { return l.outer != nil }
