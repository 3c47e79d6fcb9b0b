package run

import (
	"go/token"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Execution is one cell that runs, with the goroutines it has started.
type Execution struct {
	mustStop atomic.Bool
	stops    atomic.Int32 // calls of Stop
	mu       sync.Mutex
	next     chan struct{} // closed by the next Stop
	once     sync.Once
	left     chan struct{}
	isGone   atomic.Bool
	lent     atomic.Int32 // calls of compiled code by deferred calls of stopped goroutines
	hasEnded atomic.Bool
	fault    atomic.Pointer[fault]
	broken   chan struct{} // closed by the first fault
	// Crowd has the goroutines of the session.
	Crowd *Crowd
	// Failed is called with a panic that ended a goroutine of the cell.
	Failed func(value any, trace []Call)
	// Broke is called with the first panic that ends the cell from a goroutine of compiled code. May be nil.
	Broke func()
	// Output is where the cell prints. May be nil.
	Output Output
}

// Output is where a cell and all its goroutines print, also after its end.
type Output interface {
	// Stream returns the writer that replaces a file that is standard output or error, nil for other files.
	Stream(f *os.File) io.Writer
}

// fault is a panic that ends a cell and is not on the cell's own goroutine.
type fault struct {
	value any
	trace []Call
}

// NewExecution prepares a cell's run.
func NewExecution(failed func(value any, trace []Call)) *Execution {
	return &Execution{
		next: make(chan struct{}), left: make(chan struct{}), broken: make(chan struct{}),
		Failed: failed, Crowd: new(Crowd),
	}
}

// Stop ends the cell's code at its next back edge, call or blocking operation. Deferred calls then run to their end,
// which a further Stop makes earlier.
func (x *Execution) Stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stops.Add(1)
	x.mustStop.Store(true)
	close(x.next)
	x.next = make(chan struct{})
}

// Leave makes the cell count as ended although its code is still in compiled code that does not return. Deferred calls
// that run end as by Stop.
func (x *Execution) Leave() {
	x.once.Do(func() {
		x.isGone.Store(true)
		x.Stop()
		close(x.left)
	})
}

// End records that the cell has ended: what its goroutines do no longer concerns it.
func (x *Execution) End() { x.hasEnded.Store(true) }

// fail ends the cell by a panic of a goroutine that compiled code started. It returns false if the cell has already
// ended.
func (x *Execution) fail(value any, trace []Call) bool {
	if x.hasEnded.Load() || !x.fault.CompareAndSwap(nil, &fault{value, trace}) {
		return false
	}
	x.Stop()
	if x.Broke != nil {
		x.Broke()
	}
	close(x.broken)
	return true
}

// Broken is closed when a goroutine that compiled code started ends the cell by a panic.
func (x *Execution) Broken() <-chan struct{} { return x.broken }

// Fault returns that panic, if there is one.
func (x *Execution) Fault() (value any, trace []Call, ok bool) {
	f := x.fault.Load()
	if f == nil {
		return nil, nil, false
	}
	return f.value, f.trace, true
}

// IsLeftBehind reports whether the cell was left behind.
func (x *Execution) IsLeftBehind() bool { return x.isGone.Load() }

// Left is closed by Leave.
func (x *Execution) Left() <-chan struct{} { return x.left }

// IsStopped reports whether the cell was interrupted.
func (x *Execution) IsStopped() bool { return x.mustStop.Load() }

// Done returns a channel that is closed as soon as there is a Stop that the goroutine has not obeyed.
func (g *G) Done() <-chan struct{} {
	g.Exec.mu.Lock()
	defer g.Exec.mu.Unlock()
	if g.Exec.stops.Load() > g.obeyed {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	return g.Exec.next
}

// Interrupted is the panic that ends a stopped cell. Cells cannot recover it.
type Interrupted struct{}

func (Interrupted) Error() string { return "interrupted" }

// Final marks it for the bridge's fmt, which must not print it.
func (Interrupted) Final() bool { return true }

// Exited is the panic that os.Exit ends a cell with: deferred calls do not run, and cells cannot recover it.
type Exited struct{ Code int }

func (e Exited) Error() string { return "exit status " + strconv.Itoa(e.Code) }

// Final marks it for the bridge's fmt, which must not print it.
func (Exited) Final() bool { return true }

// Call is a place in the calls of a panic. Omitted is how many calls are left out here; the rest is then empty.
type Call struct {
	Name    string
	Pos     token.Pos
	Omitted int
}

// endStopped ends a goroutine whose cell was interrupted, unless it already runs the deferred calls of that end.
func endStopped(frame unsafe.Pointer) {
	g := HeadOf(frame).G
	if n := g.Exec.stops.Load(); n > g.obeyed {
		g.obeyed = n
		panic(Interrupted{})
	}
}

// Outside makes a call of compiled code. If the cell has been left behind meanwhile, the goroutine ends: the session
// is another cell's now.
func Outside(frame unsafe.Pointer, call Instr) {
	g := HeadOf(frame).G
	if g.obeyed == 0 {
		call(frame)
	} else {
		g.Exec.lend(frame, call)
	}
	if g.Exec.isGone.Load() {
		endStopped(frame)
	}
	if g.hasPanicked {
		g.finishRecovery()
	}
}

func (x *Execution) lend(frame unsafe.Pointer, call Instr) {
	x.lent.Add(1)
	defer x.lent.Add(-1)
	call(frame)
}

// Check ends the goroutine when its cell was interrupted.
func Check(frame unsafe.Pointer) {
	if HeadOf(frame).G.Exec.mustStop.Load() {
		endStopped(frame)
	}
}

// DepthError is the panic that ends infinite recursion. Cells cannot recover it, as in Go.
type DepthError struct{}

func (DepthError) Error() string { return "stack overflow: more than 100000 calls are active" }

// Final marks it for the bridge's fmt, which must not print it.
func (DepthError) Final() bool { return true }

func tooDeep(frame unsafe.Pointer) {
	HeadOf(frame).G.isTooDeep = true
	panic(DepthError{})
}

// How much of many calls a panic shows.
const (
	shownHead = 12
	shownTail = 4
)

// keepTrace records the calls of a goroutine when a panic is first seen.
func (g *G) keepTrace() {
	g.trace = append(g.trace[:0], g.inner...)
	for frame := g.current; frame != nil; frame = HeadOf(frame).Caller {
		if h := HeadOf(frame); h.Fn != nil && !h.Fn.Hidden {
			g.trace = append(g.trace, Call{Name: h.Fn.Name, Pos: h.Site})
		}
	}
	if len(g.trace) <= shownHead+shownTail+1 {
		return
	}
	middle, tail := g.trace[shownHead:len(g.trace)-shownTail], slices.Clone(g.trace[len(g.trace)-shownTail:])
	omitted := 0
	for _, call := range middle {
		omitted += max(call.Omitted, 1)
	}
	g.trace = append(append(g.trace[:shownHead], Call{Omitted: omitted}), tail...)
}

// Start runs a prepared frame, whose G is new, as a goroutine. A panic is reported and ends that goroutine only.
func Start(frame unsafe.Pointer) {
	g := HeadOf(frame).G
	g.Exec.Crowd.n.Add(1)
	go func() {
		g.name()
		defer g.End()
		if value, trace, ok := Try(frame); !ok {
			report(g, value, trace)
		}
	}()
}

// Go runs a compiled function as a goroutine of a cell.
func Go(g *G, call func()) {
	g.Exec.Crowd.n.Add(1)
	go func() {
		g.name()
		defer g.End()
		ended := false
		defer func() {
			if value := recover(); !ended && value != nil {
				report(g, value, nil)
			}
		}()
		call()
		ended = true
	}()
}

// recordRecovered records the calls of a panic that is recovered.
func (g *G) recordRecovered(value any) {
	if len(g.trace) == 0 {
		g.keepTrace()
	}
	g.hasPanicked, g.inner = false, nil
	if _, ok := value.(DepthError); ok {
		g.isTooDeep = false
	}
}

func report(g *G, value any, trace []Call) {
	if _, ok := value.(Fatal); ok && g.Exec.fail(value, trace) {
		return
	}
	if _, ok := value.(Interrupted); !ok && g.Exec.Failed != nil {
		g.Exec.Failed(value, trace)
	}
}

// Try runs an entered frame and catches its panic. After runtime.Goexit ok is false too, and value nil; the goroutine
// then ends.
func Try(frame unsafe.Pointer) (value any, trace []Call, ok bool) {
	g := HeadOf(frame).G
	defer func() {
		if ok {
			return
		}
		value = recover()
		if value == nil {
			return
		}
		g.recordRecovered(value)
		trace = slices.Clone(g.trace)
		g.trace = g.trace[:0]
		g.obeyed = 0
	}()
	Run(frame)
	return nil, nil, true
}

// Spawn starts a goroutine whose first frame enter prepares, with the arguments that the frame of the parent holds.
func Spawn(parent unsafe.Pointer, enter func(frame unsafe.Pointer) unsafe.Pointer) {
	entered := enter(parent)
	h := HeadOf(entered)
	g := HeadOf(parent).G.Child()
	root := g.Root()
	h.G, h.Caller, h.depth = g, root, 1
	Start(entered)
}
