package interp

import (
	"runtime"
	"sync"
)

// exclusive guards what gomacro's compiler reads and writes. Code that runs reads some of it, too: whenever interpreted code makes a variable that is not a number
// it looks its type up in the map in which the compiler enters new types, and there is no place to put a lock around that. Go ends a process that reads a
// map while it is written, so compiling a cell, or completing a name, beside a goroutine of an earlier cell would sooner or later end the kernel. Therefore
// the processors are reduced to one meanwhile: goroutines then take turns, and a turn does not end in the middle of writing a map, except where writing waits
// for memory. It costs some 20 µs, a few hundred while all processors compute.
type exclusive struct{ processors int }

// alone is held while the processors of the process are reduced.
var alone sync.Mutex

func (x *exclusive) Lock() {
	alone.Lock()
	x.processors = runtime.GOMAXPROCS(1)
}

func (x *exclusive) Unlock() {
	runtime.GOMAXPROCS(x.processors)
	alone.Unlock()
}
