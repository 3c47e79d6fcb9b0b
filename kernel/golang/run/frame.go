// Package run executes compiled functions of cells: frames, calls, deferred calls and panics.
//
// The record of a call, its frame, is one object that reflect.StructOf describes, so the garbage collector sees every
// pointer in it. It begins with a Head; registers, parameters and results follow at fixed offsets.
package run

import (
	"go/token"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Head is what every frame begins with.
type Head struct {
	G      *G
	Fn     *Func
	Caller unsafe.Pointer // the frame of the caller, nil at the bottom
	next   unsafe.Pointer // the next free frame of the function
	defers *Deferred
	panics *Panic    // of a deferred call: the panic that runs it
	Site   token.Pos // where the function is: its last call, or its fault
	depth  int
}

// HeadOf returns the head of a frame.
func HeadOf(frame unsafe.Pointer) *Head { return (*Head)(frame) }

// Instr does one step on a frame.
type Instr func(frame unsafe.Pointer)

// Kind is how a block ends.
type Kind uint8

// How blocks end.
const (
	Jump Kind = iota
	Branch
	Return
)

// Block is a run of steps and what follows it.
type Block struct {
	Code []Instr
	Kind Kind
	Back bool // it may lead back, so it checks for interrupts
	Pos  token.Pos
	Cond func(frame unsafe.Pointer) bool
	Yes  *Block
	No   *Block
}

// Code is a compiled body.
type Code struct {
	Entry   *Block
	Recover *Block // where execution resumes after a recovered panic; nil: return zero results
	Defers  bool   // the function has deferred calls
	Frame   reflect.Type
	// Constants is a frame whose constants are set.
	Constants unsafe.Pointer
	// Pointers are the offsets of pointers that a finished frame must not keep.
	Pointers []uintptr
	// Clear zeroes the results.
	Clear func(frame unsafe.Pointer)
}

// Func is a function of a cell. Its body is compiled when it is first called.
type Func struct {
	Name    string
	Pool    int // of a goroutine's free frames; others may have the same
	Compile func() *Code
	Hidden  bool // wrappers are not shown in calls
	code    atomic.Pointer[Code]
	next    atomic.Pointer[Func]
}

// Become makes all further calls of f calls of to. The caller has to ensure that they have the same signature.
func (f *Func) Become(to *Func) { f.next.Store(to) }

// Body returns the compiled body.
func (f *Func) Body() *Code {
	if c := f.code.Load(); c != nil {
		return c
	}
	c := f.Compile()
	f.code.CompareAndSwap(nil, c)
	return f.code.Load()
}

// maxDepth is the max number of active calls of cells in one goroutine.
const maxDepth = 100_000

// keptFrames bounds the free frames of a function; only recursion has more than one.
const keptFrames = 64

// Pools is the max number of pools of free frames of a goroutine.
const Pools = 1024

type pool struct {
	free unsafe.Pointer
	n    int
}

// Enter makes a frame for a call. Parameters are then stored in it, Run runs it, results are read, Leave frees it.
func (f *Func) Enter(caller unsafe.Pointer) unsafe.Pointer {
	if to := f.next.Load(); to != nil {
		f = to
	}
	g := HeadOf(caller).G
	if g.Exec.mustStop.Load() {
		endStopped(caller)
	}
	var frame unsafe.Pointer
	if f.Pool < len(g.pools) && g.pools[f.Pool].free != nil && HeadOf(g.pools[f.Pool].free).Fn == f {
		l := &g.pools[f.Pool]
		frame = l.free
		l.free = HeadOf(frame).next
		l.n--
	} else {
		frame = f.newFrame(g)
	}
	h := HeadOf(frame)
	h.Caller = caller
	h.depth = HeadOf(caller).depth + 1
	if h.depth > maxDepth {
		tooDeep(caller)
	}
	return frame
}

func (f *Func) newFrame(g *G) unsafe.Pointer {
	c := f.Body()
	v := reflect.New(c.Frame)
	if c.Constants != nil {
		v.Elem().Set(reflect.NewAt(c.Frame, c.Constants).Elem())
	}
	frame := v.UnsafePointer()
	h := HeadOf(frame)
	h.G, h.Fn = g, f
	return frame
}

// Run runs an entered frame to its end.
func Run(frame unsafe.Pointer) {
	h := HeadOf(frame)
	h.G.current = frame
	c := h.Fn.code.Load()
	if c.Defers {
		c.protect(frame)
	} else {
		c.loop(frame, c.Entry)
	}
	h.G.current = h.Caller
}

// Leave frees a frame after its results were read.
func Leave(frame unsafe.Pointer) {
	h := HeadOf(frame)
	c := h.Fn.code.Load()
	for _, offset := range c.Pointers {
		*(*unsafe.Pointer)(unsafe.Add(frame, offset)) = nil
	}
	h.Caller, h.panics = nil, nil
	g, id := h.G, h.Fn.Pool
	if id >= len(g.pools) {
		g.pools = append(g.pools, make([]pool, min(id+8, Pools)-len(g.pools))...)
	}
	if l := &g.pools[id]; l.n < keptFrames {
		h.next = l.free
		l.free = frame
		l.n++
	}
}

func (c *Code) loop(frame unsafe.Pointer, b *Block) {
	x := HeadOf(frame).G.Exec
	for {
		for _, step := range b.Code {
			step(frame)
		}
		if b.Back && x.mustStop.Load() {
			HeadOf(frame).Site = b.Pos
			endStopped(frame)
		}
		switch b.Kind {
		case Jump:
			b = b.Yes
		case Branch:
			if b.Cond(frame) {
				b = b.Yes
			} else {
				b = b.No
			}
		case Return:
			return
		}
	}
}
