package compile

import (
	"sync"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// blocking gives the calls of package sync that wait a step that ends when the cell is interrupted; nil for all others.
// An interrupted lock is given back as soon as it is taken.
func blocking(name string, args []uintptr) run.Instr {
	switch name {
	case "(*sync.Mutex).Lock":
		x := args[0]
		return func(f unsafe.Pointer) {
			if m := *at[*sync.Mutex](f, x); !m.TryLock() {
				waitFor(f, m.Lock, m.Unlock)
			}
		}
	case "(*sync.RWMutex).Lock":
		x := args[0]
		return func(f unsafe.Pointer) {
			if m := *at[*sync.RWMutex](f, x); !m.TryLock() {
				waitFor(f, m.Lock, m.Unlock)
			}
		}
	case "(*sync.RWMutex).RLock":
		x := args[0]
		return func(f unsafe.Pointer) {
			if m := *at[*sync.RWMutex](f, x); !m.TryRLock() {
				waitFor(f, m.RLock, m.RUnlock)
			}
		}
	case "(*sync.WaitGroup).Wait":
		x := args[0]
		return func(f unsafe.Pointer) { waitFor(f, (*at[*sync.WaitGroup](f, x)).Wait, func() {}) }
	}
	return nil
}

// waitFor waits for a call that blocks, or ends the cell; then undo follows the call, whenever that is.
func waitFor(frame unsafe.Pointer, call, undo func()) {
	if run.Leaving(frame) {
		call()
		return
	}
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		call()
		select {
		case done <- struct{}{}:
		case <-left:
			undo()
		}
	}()
	select {
	case <-done:
	case <-run.HeadOf(frame).G.Exec.Done():
		close(left)
		run.Check(frame)
	}
}
