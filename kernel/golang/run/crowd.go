package run

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// Fatal is an error that ends a compiled program whatever it recovers. It ends a cell: cells cannot recover it.
type Fatal struct{ Text string }

func (e Fatal) Error() string { return e.Text }

// Final marks it for the bridge's fmt, which must not print it.
func (Fatal) Final() bool { return true }

// Crowd is what the goroutines of a session know about each other. Go's runtime ends the program if two goroutines use
// a map at once, so overlapping uses of a map are refused before they reach the runtime.
//
// A goroutine that runs alone only checks their number. A second one that it does not know of waits until what the
// first had begun is done.
type Crowd struct {
	n     atomic.Int32
	slots [crowdSlots]slot
}

const crowdSlots = 1 << 9

// slot is what is being done to an object: its address, the writer, and the number of readers. Objects may share a
// slot; they then wait for each other.
type slot struct {
	state atomic.Uint64
	_     [56]byte // keeps what two processors write in different cache lines
}

const (
	writes    = 1 // addresses are even
	oneReader = 1 << 48
	address   = oneReader - 1 - writes
)

// Alone reports whether no other goroutine may use what the calling one uses.
func (c *Crowd) Alone() bool { return c.n.Load() <= 1 }

// settle is longer than the rest of a map operation takes, unless its thread loses the processor meanwhile.
const settle = 20 * time.Microsecond

// join counts a goroutine that the running ones do not know of.
func (c *Crowd) join() {
	if c.n.Add(1) != 2 {
		return
	}
	for began := time.Now(); time.Since(began) < settle; {
		runtime.Gosched()
	}
}

// Expect counts a goroutine that compiled code is about to start for the calling one. A call of Gone must follow.
func (c *Crowd) Expect() { c.n.Add(1) }

// Gone is the end of a goroutine that was expected.
func (c *Crowd) Gone() { c.n.Add(-1) }

func (c *Crowd) slot(p unsafe.Pointer) *slot {
	const spread = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	return &c.slots[uint64(uintptr(p))*spread>>(64-9)]
}

// Write begins to change an object. If another goroutine uses it, the cell ends.
func (c *Crowd) Write(p unsafe.Pointer) {
	s, at := c.slot(p), uint64(uintptr(p))
	for {
		switch old := s.state.Load(); {
		case old == 0:
			if s.state.CompareAndSwap(0, at|writes) {
				return
			}
			continue
		case old&address == at && old&writes != 0:
			panic(Fatal{"fatal error: concurrent map writes"})
		case old&address == at:
			panic(Fatal{"fatal error: concurrent map read and map write"})
		}
		runtime.Gosched()
	}
}

// Wait begins to change an object, as soon as no other goroutine does.
func (c *Crowd) Wait(p unsafe.Pointer) {
	for s := c.slot(p); !s.state.CompareAndSwap(0, uint64(uintptr(p))|writes); {
		runtime.Gosched()
	}
}

// Written ends Write and Wait.
func (c *Crowd) Written(p unsafe.Pointer) { c.slot(p).state.Store(0) }

// Read begins to look at an object. If another goroutine changes it, the cell ends with a text.
func (c *Crowd) Read(p unsafe.Pointer, text string) {
	s, at := c.slot(p), uint64(uintptr(p))
	for {
		switch old := s.state.Load(); {
		case old == 0:
			if s.state.CompareAndSwap(0, at|oneReader) {
				return
			}
			continue
		case old&address != at:
			runtime.Gosched()
			continue
		case old&writes != 0:
			panic(Fatal{text})
		default:
			if s.state.CompareAndSwap(old, old+oneReader) {
				return
			}
		}
	}
}

// HasRead ends Read.
func (c *Crowd) HasRead(p unsafe.Pointer) {
	s := c.slot(p)
	for {
		old := s.state.Load()
		left := old - oneReader
		if left < oneReader {
			left = 0
		}
		if s.state.CompareAndSwap(old, left) {
			return
		}
	}
}
