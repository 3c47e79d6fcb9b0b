// Package lock has steps for calls of package sync. Calls that wait end when the cell is interrupted. Calls that unlock
// end the cell if they would end a compiled program.
package lock

import (
	"sync"
	"time"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// waits are the methods of package sync that wait, by their names in SSA. They end when the cell is interrupted.
var waits = map[string]func(frame, receiver unsafe.Pointer){
	"(*sync.Mutex).Lock": func(f, p unsafe.Pointer) {
		if m := (*sync.Mutex)(p); !m.TryLock() {
			waitFor(f, m.Lock, m.Unlock)
		}
	},
	"(*sync.RWMutex).Lock": func(f, p unsafe.Pointer) {
		if m := (*sync.RWMutex)(p); !m.TryLock() {
			waitFor(f, m.Lock, m.Unlock)
		}
	},
	"(*sync.RWMutex).RLock": func(f, p unsafe.Pointer) {
		if m := (*sync.RWMutex)(p); !m.TryRLock() {
			waitFor(f, m.RLock, m.RUnlock)
		}
	},
	"(*sync.WaitGroup).Wait": func(f, p unsafe.Pointer) { waitFor(f, (*sync.WaitGroup)(p).Wait, func() {}) },
	"(*sync.Cond).Wait":      func(f, p unsafe.Pointer) { waitCond(f, (*sync.Cond)(p)) },
}

// HasStep reports whether this package has a step for a function, by its name in SSA.
func HasStep(name string) bool {
	_, unlocks := unlocks[name]
	return unlocks || waits[name] != nil
}

// WaitStep returns the step for a call of package sync that waits. It returns nil for all other calls.
//
//go:noinline
func WaitStep(name string, args []uintptr) run.Instr {
	wait, ok := waits[name]
	if !ok {
		return nil
	}
	x := args[0]
	return func(f unsafe.Pointer) { wait(f, *slot.At[unsafe.Pointer](f, x)) }
}

// waitFor waits for a call that blocks, or ends the cell; then undo follows the call, whenever that is.
func waitFor(frame unsafe.Pointer, call, undo func()) {
	done, left := start(call, undo)
	select {
	case fault := <-done:
		if fault != nil {
			panic(fault)
		}
	case <-run.HeadOf(frame).G.Done():
		close(left)
		run.Check(frame)
	}
}

// start makes a call in a goroutine. done receives what it panicked with, or nil. Once left is closed, undo follows the
// call instead.
func start(call, undo func()) (done chan any, left chan struct{}) {
	done, left = make(chan any), make(chan struct{})
	go func() {
		fault := catch(call)
		select {
		case done <- fault:
		case <-left:
			if fault == nil {
				undo()
			}
		}
	}()
	return done, left
}

// catch makes a call and returns what it panics with.
func catch(call func()) (fault any) {
	defer func() { fault = recover() }()
	call()
	return nil
}

// waitCond waits for a condition. Deferred functions of an interrupted cell unlock the condition's lock, so it must be
// locked first: waitCond wakes the condition until it is.
func waitCond(frame unsafe.Pointer, c *sync.Cond) {
	checkLocked(c.L)
	done, left := start(c.Wait, func() { c.L.Unlock() })
	var woken <-chan time.Time
	stopped := run.HeadOf(frame).G.Done()
	const maxTurns, pause = 100, 10 * time.Millisecond
	for n := 0; n < maxTurns; {
		select {
		case fault := <-done:
			if fault != nil {
				panic(fault)
			}
			run.Check(frame)
			return
		case <-stopped:
			stopped, woken = nil, time.After(0)
		case <-woken:
			n++
			c.Broadcast()
			woken = time.After(pause)
		}
	}
	close(left) // another goroutine holds the lock
	run.Check(frame)
}
