package lock

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// The counts of locks, by which package sync tells that something is unlocked that is not locked. Go's runtime ends the
// program then.
var (
	mutexState  = countOffset(reflect.TypeFor[sync.Mutex]())
	readerCount = countOffset(reflect.TypeFor[sync.RWMutex]())
)

const (
	mutexLocked = 1
	maxReaders  = 1 << 30 // less than none while a lock for writing is held or waited for
)

// countOffset returns where the count lies in a lock.
func countOffset(rt reflect.Type) uintptr {
	if f, ok := rt.FieldByName("readerCount"); ok {
		return f.Offset
	}
	if inner, ok := rt.FieldByName("mu"); ok {
		if f, ok := inner.Type.FieldByName("state"); ok {
			return inner.Offset + f.Offset
		}
	}
	return 0
}

// Check compares this package's copies of the lock types with package sync.
func Check() error {
	var m sync.Mutex
	var rw sync.RWMutex
	free := count(unsafe.Pointer(&m), mutexState) == 0 && count(unsafe.Pointer(&rw), readerCount) == 0
	m.Lock()
	rw.RLock()
	read := count(unsafe.Pointer(&m), mutexState) == mutexLocked && count(unsafe.Pointer(&rw), readerCount) == 1
	m.Unlock()
	rw.RUnlock()
	rw.Lock()
	written := count(unsafe.Pointer(&rw), readerCount) == -maxReaders
	rw.Unlock()
	if !free || !read || !written {
		return layout.Mismatch("the locks of package sync are not laid out")
	}
	return nil
}

func count(lock unsafe.Pointer, offset uintptr) int32 {
	return atomic.LoadInt32((*int32)(unsafe.Add(lock, offset)))
}

// unlocks are the methods of package sync that end what a lock has begun. done reports whether there is anything to
// end.
var unlocks = map[string]struct {
	done func(lock unsafe.Pointer) bool
	call func(lock unsafe.Pointer)
	text string
}{
	"(*sync.Mutex).Unlock": {isUnlocked, func(p unsafe.Pointer) { (*sync.Mutex)(p).Unlock() },
		"fatal error: sync: unlock of unlocked mutex"},
	"(*sync.RWMutex).Unlock": {isUnwritten, func(p unsafe.Pointer) { (*sync.RWMutex)(p).Unlock() },
		"fatal error: sync: Unlock of unlocked RWMutex"},
	"(*sync.RWMutex).RUnlock": {isUnread, func(p unsafe.Pointer) { (*sync.RWMutex)(p).RUnlock() },
		"fatal error: sync: RUnlock of unlocked RWMutex"},
}

func isUnlocked(p unsafe.Pointer) bool { return count(p, mutexState)&mutexLocked == 0 }

func isUnwritten(p unsafe.Pointer) bool { return count(p, readerCount) >= 0 }

func isUnread(p unsafe.Pointer) bool {
	n := count(p, readerCount)
	return n == 0 || n == -maxReaders
}

// UnlockStep returns the step for a call that unlocks. It returns nil for all other calls. Unlocks of one lock run one
// after another, so that none comes between the check and the call.
//
//go:noinline
func UnlockStep(crowd *run.Crowd, name string, args []uintptr) run.Instr {
	u, ok := unlocks[name]
	if !ok {
		return nil
	}
	x := args[0]
	return func(f unsafe.Pointer) {
		p := *slot.At[unsafe.Pointer](f, x)
		if p == nil {
			u.call(p) // panics
		}
		alone := crowd.Alone()
		if !alone {
			crowd.Wait(p)
		}
		unlocked := u.done(p)
		if !unlocked {
			u.call(p)
		}
		if !alone {
			crowd.Written(p)
		}
		if unlocked {
			panic(run.Fatal{Text: u.text})
		}
	}
}

// checkLocked ends the cell if a lock that compiled code will unlock is not locked.
func checkLocked(l sync.Locker) {
	switch l := l.(type) {
	case *sync.Mutex:
		if l != nil && isUnlocked(unsafe.Pointer(l)) {
			panic(run.Fatal{Text: unlocks["(*sync.Mutex).Unlock"].text})
		}
	case *sync.RWMutex:
		if l != nil && isUnwritten(unsafe.Pointer(l)) {
			panic(run.Fatal{Text: unlocks["(*sync.RWMutex).Unlock"].text})
		}
	}
}

// readLocker is what RWMutex.RLocker returns.
type readLocker struct{ rw *sync.RWMutex }

func (l readLocker) Lock() { l.rw.RLock() }

func (l readLocker) Unlock() {
	if isUnread(unsafe.Pointer(l.rw)) {
		panic(run.Fatal{Text: unlocks["(*sync.RWMutex).RUnlock"].text})
	}
	l.rw.RUnlock()
}

// ReadLocker is RWMutex.RLocker.
func ReadLocker(rw *sync.RWMutex) sync.Locker { return readLocker{rw} }

// Go is WaitGroup.Go. It counts the goroutine before it starts, as a go statement does: the caller knows of it at
// once.
func Go(group *sync.WaitGroup, crowd *run.Crowd, f func()) {
	if f == nil {
		panic(run.Fatal{Text: "fatal error: go of nil func value"})
	}
	crowd.Expect()
	started := false
	defer func() {
		if !started {
			crowd.Gone()
		}
	}()
	group.Go(func() {
		defer crowd.Gone()
		f()
	})
	started = true
}
