package lock

import (
	"errors"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// frame holds a pointer to what a method of package sync is called for.
type frame struct {
	run.Head
	p unsafe.Pointer
}

// called calls a method by its name in SSA and gives what it panics with.
func called(t *testing.T, x *run.Execution, name string, p unsafe.Pointer) (fault any) {
	t.Helper()
	f := &frame{Head: run.Head{G: run.NewG(x)}, p: p}
	args := []uintptr{unsafe.Offsetof(f.p)}
	if !HasStep(name) {
		t.Errorf("%s has no step", name)
	}
	step := WaitStep(name, args)
	if step == nil {
		step = UnlockStep(x.Crowd, name, args)
	}
	defer func() { fault = recover() }()
	step(unsafe.Pointer(f))
	return nil
}

// TestUnlock: what is not locked is not unlocked, and the cell ends with Go's words; alone and next to other
// goroutines.
func TestUnlock(t *testing.T) {
	expect.NoError(t, Check())
	for _, others := range []int{0, 2} {
		x := run.NewExecution(nil)
		for range others {
			x.Crowd.Expect()
		}
		var mu sync.Mutex
		var rw sync.RWMutex
		for _, c := range []struct {
			name string
			p    unsafe.Pointer
			want string
		}{
			{"(*sync.Mutex).Unlock", unsafe.Pointer(&mu), "fatal error: sync: unlock of unlocked mutex"},
			{"(*sync.Mutex).Lock", unsafe.Pointer(&mu), ""},
			{"(*sync.Mutex).Unlock", unsafe.Pointer(&mu), ""},
			{"(*sync.RWMutex).Unlock", unsafe.Pointer(&rw), "fatal error: sync: Unlock of unlocked RWMutex"},
			{"(*sync.RWMutex).RUnlock", unsafe.Pointer(&rw), "fatal error: sync: RUnlock of unlocked RWMutex"},
			{"(*sync.RWMutex).RLock", unsafe.Pointer(&rw), ""},
			{"(*sync.RWMutex).Unlock", unsafe.Pointer(&rw), "fatal error: sync: Unlock of unlocked RWMutex"},
			{"(*sync.RWMutex).RUnlock", unsafe.Pointer(&rw), ""},
			{"(*sync.RWMutex).Lock", unsafe.Pointer(&rw), ""},
			{"(*sync.RWMutex).RUnlock", unsafe.Pointer(&rw), "fatal error: sync: RUnlock of unlocked RWMutex"},
			{"(*sync.RWMutex).Unlock", unsafe.Pointer(&rw), ""},
		} {
			fatal, _ := called(t, x, c.name, c.p).(run.Fatal)
			if fatal.Text != c.want {
				t.Errorf("next to %d: %s ends with %q, want %q", others, c.name, fatal.Text, c.want)
			}
		}
		if !mu.TryLock() || !rw.TryLock() {
			t.Error("a lock is held")
		}
	}
	if HasStep("(*sync.Once).Do") || WaitStep("(*sync.Once).Do", nil) != nil {
		t.Error("Once has a step")
	}
}

// TestInterrupted: a wait ends with the cell. The lock that it gets later is free again.
func TestInterrupted(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	var group sync.WaitGroup
	mu.Lock()
	rw.Lock()
	group.Add(1)
	cond := sync.NewCond(&sync.Mutex{})
	cond.L.Lock()
	for name, p := range map[string]unsafe.Pointer{
		"(*sync.Mutex).Lock": unsafe.Pointer(&mu), "(*sync.RWMutex).Lock": unsafe.Pointer(&rw),
		"(*sync.RWMutex).RLock": unsafe.Pointer(&rw), "(*sync.WaitGroup).Wait": unsafe.Pointer(&group),
		"(*sync.Cond).Wait": unsafe.Pointer(cond),
	} {
		x := run.NewExecution(nil)
		time.AfterFunc(time.Millisecond, x.Stop)
		if err, ok := called(t, x, name, p).(error); !ok || !errors.Is(err, run.Interrupted{}) {
			t.Errorf("%s ends with %v", name, err)
		}
	}
	mu.Unlock()
	rw.Unlock()
	const patience = 20 * time.Millisecond // in which those that wait get the locks
	time.Sleep(patience)
	for name, try := range map[string]func() bool{"Mutex": mu.TryLock, "RWMutex": rw.TryLock} {
		for begun := time.Now(); !try(); time.Sleep(time.Millisecond) {
			if time.Since(begun) > 5*time.Second {
				t.Fatalf("an interrupted wait keeps the %s that it got", name)
			}
		}
	}
}

// TestReadLocker: it unlocks what is locked only.
func TestReadLocker(t *testing.T) {
	var rw sync.RWMutex
	l := ReadLocker(&rw)
	l.Lock()
	if rw.TryLock() {
		t.Error("it does not lock")
	}
	l.Unlock()
	defer func() {
		if _, ok := recover().(run.Fatal); !ok {
			t.Error("it unlocks what is not locked")
		}
	}()
	l.Unlock()
}

// TestGo: the caller knows of the goroutine at once, and no longer when it is done.
func TestGo(t *testing.T) {
	crowd := new(run.Crowd)
	crowd.Expect() // the caller
	var group sync.WaitGroup
	hold := make(chan bool)
	Go(&group, crowd, func() { <-hold })
	if crowd.Alone() {
		t.Error("the goroutine is not counted")
	}
	close(hold)
	group.Wait()
	for begun := time.Now(); !crowd.Alone(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the goroutine is still counted")
		}
	}
	defer func() {
		if recover() != (run.Fatal{Text: "fatal error: go of nil func value"}) || !crowd.Alone() {
			t.Error("a nil function is started")
		}
	}()
	Go(&group, crowd, nil)
}
