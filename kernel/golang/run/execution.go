package run

import (
	"go/token"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Execution is one cell that runs, with the goroutines it has started.
type Execution struct {
	stop   atomic.Bool
	stops  atomic.Int32 // calls of Stop
	mu     sync.Mutex
	next   chan struct{} // closed by the next Stop
	once   sync.Once
	left   chan struct{}
	gone   atomic.Bool
	lent   atomic.Int32 // calls of compiled code by deferred calls of stopped goroutines
	passed atomic.Pointer[callback]
	// Failed is told of a panic that ended a goroutine of the cell.
	Failed func(value any, trace []Call)
	// Reword gives the value of a panic the words of compiled Go. May be nil.
	Reword func(value any) any
}

// NewExecution prepares a cell's run.
func NewExecution(failed func(value any, trace []Call)) *Execution {
	return &Execution{next: make(chan struct{}), left: make(chan struct{}), Failed: failed}
}

// Stop ends the cell's code at its next back edge, call or blocking operation. Deferred calls then run to their end,
// which a further Stop makes earlier.
func (x *Execution) Stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stops.Add(1)
	x.stop.Store(true)
	close(x.next)
	x.next = make(chan struct{})
}

// Leave has the cell count as ended though its code has not: it is in compiled code that does not return. Deferred
// calls that run end as by Stop.
func (x *Execution) Leave() {
	x.once.Do(func() {
		x.gone.Store(true)
		x.Stop()
		close(x.left)
	})
}

// Gone tells whether the cell was left behind.
func (x *Execution) Gone() bool { return x.gone.Load() }

// Left is closed by Leave.
func (x *Execution) Left() <-chan struct{} { return x.left }

// Stopped tells whether the cell was interrupted.
func (x *Execution) Stopped() bool { return x.stop.Load() }

// Ends gives a channel that is closed as soon as there is a Stop that the goroutine has not obeyed.
func (g *G) Ends() <-chan struct{} {
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

// Final tells package fmt's twin not to print it.
func (Interrupted) Final() bool { return true }

// Exited is the panic that os.Exit ends a cell with: deferred calls do not run, and cells cannot recover it.
type Exited struct{ Code int }

func (e Exited) Error() string { return "exit status " + strconv.Itoa(e.Code) }

// Final tells package fmt's twin not to print it.
func (Exited) Final() bool { return true }

// Call is a place in the calls of a panic. Omitted is how many calls are left out here; the rest is then empty.
type Call struct {
	Name    string
	Pos     token.Pos
	Omitted int
}

// callback is the panic of a function of a cell that compiled code called, with its calls: compiled code may let it
// pass, to the cell that called the compiled code.
type callback struct {
	value any
	trace []Call
}

// Pass notes the calls of a function that compiled code called and that panicked, and panics again.
func Pass(g *G, value any) {
	if value == nil { // runtime.Goexit
		return
	}
	g.keepTrace(value)
	g.Exec.passed.Store(&callback{value, slices.Clone(g.trace)})
	panic(value)
}

// Passed gives the calls of a function of a cell that panicked with a value, which compiled code let pass.
func (x *Execution) Passed(value any) []Call {
	if p := x.passed.Swap(nil); p != nil && sameValue(p.value, value) {
		return p.trace
	}
	return nil
}

// sameValue tells whether two interfaces hold the very same value.
func sameValue(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// stopped ends a goroutine whose cell was interrupted, unless it already runs the deferred calls of that end.
func stopped(frame unsafe.Pointer) {
	g := HeadOf(frame).G
	if n := g.Exec.stops.Load(); n > g.obeyed {
		g.obeyed = n
		panic(Interrupted{})
	}
}

// Lend makes g the goroutine of a call that compiled code makes. If deferred calls of a stopped goroutine run compiled
// code, it may be theirs, so it runs to its end as they do.
func (x *Execution) Lend(g *G) *G {
	g.Exec, g.obeyed = x, 0
	if x.lent.Load() > 0 {
		g.obeyed = x.stops.Load()
	}
	return g
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
	if g.Exec.gone.Load() {
		stopped(frame)
	}
}

func (x *Execution) lend(frame unsafe.Pointer, call Instr) {
	x.lent.Add(1)
	defer x.lent.Add(-1)
	call(frame)
}

// Check ends the goroutine when its cell was interrupted.
func Check(frame unsafe.Pointer) {
	if HeadOf(frame).G.Exec.stop.Load() {
		stopped(frame)
	}
}

// DepthError is the panic that ends calls without an end. Cells cannot recover it, as they cannot in Go.
type DepthError struct{}

func (DepthError) Error() string { return "stack overflow: more than 100000 calls are active" }

func tooDeep(frame unsafe.Pointer) { panic(DepthError{}) }

// How much of many calls a panic shows.
const (
	shownHead = 12
	shownTail = 4
)

// keepTrace notes the calls of a goroutine when a panic is first seen.
func (g *G) keepTrace(value any) {
	g.trace = append(g.trace[:0], g.Exec.Passed(value)...)
	inner := len(g.trace)
	for frame := g.current; frame != nil; frame = HeadOf(frame).Caller {
		if h := HeadOf(frame); h.Fn != nil && !h.Fn.Hidden {
			g.trace = append(g.trace, Call{Name: h.Fn.Name, Pos: h.Site})
		}
	}
	if omitted := len(g.trace) - inner - shownHead - shownTail; omitted > 1 {
		tail := slices.Clone(g.trace[len(g.trace)-shownTail:])
		g.trace = append(append(g.trace[:inner+shownHead], Call{Omitted: omitted}), tail...)
	}
}

// Start runs a prepared frame, whose G is new, as a goroutine. A panic is reported and ends that goroutine only.
func Start(frame unsafe.Pointer) {
	go func() {
		if value, trace, ok := Try(frame); !ok {
			report(HeadOf(frame).G, value, trace)
		}
	}()
}

// Go runs a compiled function as a goroutine of a cell.
func Go(g *G, call func()) {
	go func() {
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

// Contain ends a goroutine that compiled code started and that called a function of a cell: a panic there would end
// the program. Call it in a deferred function with what recover gave.
func Contain(g *G, value any) {
	g.keepTrace(value)
	report(g, g.reword(value), slices.Clone(g.trace))
	runtime.Goexit()
}

// Foreign tells whether compiled code, and not a cell, started the calling goroutine.
func Foreign() bool {
	const some = 256
	pcs := make([]uintptr, some)
	n := runtime.Callers(0, pcs)
	for n == len(pcs) { // a deep stack is walked few times
		pcs = make([]uintptr, len(pcs)*8)
		n = runtime.Callers(0, pcs)
	}
	frames := runtime.CallersFrames(pcs[max(0, n-some):n]) // only the oldest calls matter
	last := ""
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			last = frame.Function
		}
		if !more {
			return !strings.Contains(last, "/kernel/golang/run.") && !strings.Contains(last, "/kernel/golang/cell.")
		}
	}
}

func (g *G) reword(value any) any {
	if g.Exec.Reword == nil {
		return value
	}
	return g.Exec.Reword(value)
}

func report(g *G, value any, trace []Call) {
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
		if len(g.trace) == 0 {
			g.keepTrace(value)
		}
		value = g.reword(value)
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
	g := NewG(HeadOf(parent).G.Exec)
	root := g.Root()
	h.G, h.Caller, h.depth = g, root, 1
	Start(entered)
}
