package interp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/gls"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
)

const (
	// An interrupt that gomacro loses (it clears signals in some places) is sent again after resend; in between, deferred functions of the cell can run.
	resend = 25 * time.Millisecond
	// A cell that still runs so long after its interrupt is blocked in something that knows of no context.
	patience = 1500 * time.Millisecond
	// Deeper recursion is stopped, since running out of stack ends a Go program with no way to recover. A call takes about a kilobyte of stack.
	deepest = 100_000
	// How often the depth is looked at: an interpreted call takes some 100 ns, so it grows by tens of thousands meanwhile.
	depthEvery = 4 * time.Millisecond
)

var errInterrupted = errors.New("interrupted")

// execution is one run of one cell.
type execution struct {
	number      int
	ctx         context.Context // what the cell's code is given; ended by an interrupt only, so that goroutines may outlive the cell
	cancel      context.CancelCauseFunc
	interrupted atomic.Bool
	tooDeep     atomic.Bool
	done        chan struct{} // closed when the cell has ended
	watchers    sync.WaitGroup
	once        sync.Once
	defers      []func()     // of the cell's top level
	top         atomic.Int64 // position of the statement that runs
}

func newExecution(parent context.Context, number int) *execution {
	x := &execution{number: number, done: make(chan struct{})}
	x.ctx, x.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	return x
}

// blame makes a failure that follows an interrupt say so.
func (x *execution) blame(failure *kernel.CellError) *kernel.CellError {
	if !x.interrupted.Load() {
		return failure
	}
	return kernel.Blame(failure)
}

// goroutine identifies the calling goroutine as gomacro does.
func goroutine() uintptr { return gls.GoID() }

// onSession reports whether the caller is the evaluating goroutine, the only one that an interrupt may stop.
func (e *Engine) onSession() bool { return goroutine() == e.session }

// Interrupt ends the running cell: interpreted code at its next statements, compiled code by its context.
// Goroutines that cells started keep running.
func (e *Engine) Interrupt() {
	if x := e.current.Load(); x != nil {
		e.interrupt(x)
	}
}

func (e *Engine) interrupt(x *execution) {
	x.once.Do(func() {
		x.interrupted.Store(true)
		x.cancel(errInterrupted)
		x.watchers.Add(1)
		go e.insist(x)
	})
}

// insist repeats the interrupt until the cell has ended and says so once if it cannot.
func (e *Engine) insist(x *execution) {
	defer x.watchers.Done()
	start, told := time.Now(), false
	tick := time.NewTicker(resend)
	defer tick.Stop()
	for {
		e.signal()
		select {
		case <-x.done:
			return
		case <-tick.C:
		}
		if !told && time.Since(start) > patience {
			told = true
			fmt.Fprintf(e.io.Stderr(), "interrupt: the cell is blocked %s in compiled code that takes no context (a lock, a WaitGroup, a channel inside a "+
				"library, a file or network operation) and cannot be stopped. It ends when that returns; restarting the kernel ends it at once.\n", e.where())
		}
	}
}

// signal asks the interpreter to stop at its next opportunity.
func (e *Engine) signal() { e.ir.Interrupt(nil) }

// watchDepth stops a recursion before it uses up the stack.
func (e *Engine) watchDepth(x *execution) {
	defer x.watchers.Done()
	tick := time.NewTicker(depthEvery)
	defer tick.Stop()
	for {
		select {
		case <-x.done:
			return
		case <-tick.C:
		}
		if env := e.run.CurrEnv; env != nil && env.CallDepth > deepest {
			x.tooDeep.Store(true)
			e.signal()
		}
	}
}

// begin makes number the running cell. The returned function ends it.
func (e *Engine) begin(ctx context.Context, number int) (*execution, func()) {
	x := newExecution(ctx, number)
	e.last.Store(x)
	e.current.Store(x)
	e.refreshContext(x.ctx)
	e.stdin.Forget()
	if !raceDetector { // reading the depth while it changes is harmless but a race all the same
		x.watchers.Add(1)
		go e.watchDepth(x)
	}
	stop := context.AfterFunc(ctx, func() { e.interrupt(x) })
	return x, func() {
		stop()
		e.current.Store(nil)
		close(x.done)
		x.once.Do(func() {}) // an interrupt that comes now is too late
		x.watchers.Wait()
	}
}

// declareContext declares ctx, the context of the running cell, which compiled functions are given so that an interrupt ends them.
func (e *Engine) declareContext() {
	t := e.ir.Comp.Universe.FromReflectType(reflect.TypeFor[context.Context]())
	e.ir.DeclVar("ctx", t, context.Background())
	e.ctxBind = e.ir.Comp.Binds["ctx"]
}

// refreshContext gives the variable ctx the context of the cell that begins, unless the user declared a ctx.
func (e *Engine) refreshContext(ctx context.Context) {
	if e.ir.Comp.Binds["ctx"] != e.ctxBind {
		return
	}
	e.ir.ValueOf("ctx").Set(xreflect.ValueOf(ctx))
}

// stopIfInterrupted unwinds the evaluating goroutine if its cell was interrupted.
func (e *Engine) stopIfInterrupted() {
	if x := e.current.Load(); x != nil && x.interrupted.Load() && e.onSession() {
		panic(base.SigInterrupt)
	}
}

// recovered looks at what recover gave: the interrupt of a cell is not for the cell's code to stop.
func (e *Engine) recovered(r interface{}) interface{} {
	if _, ok := r.(base.Signal); ok && e.onSession() {
		panic(r)
	}
	return asRuntimeError(r)
}

// sleep is time.Sleep that ends with the cell's interrupt. Other goroutines sleep as always.
func (e *Engine) sleep(d time.Duration) {
	x := e.current.Load()
	if x == nil || !e.onSession() {
		time.Sleep(d)
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.ctx.Done():
		panic(base.SigInterrupt)
	}
}
