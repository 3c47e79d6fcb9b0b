package run

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// record is the frame of the tests' functions.
type record struct {
	Head
	n, sum int
	p      *int
}

func of(frame unsafe.Pointer) *record { return (*record)(frame) }

// function makes a function of a body.
func function(name string, pool int, c *Code) *Func {
	c.Frame = reflect.TypeFor[record]()
	return &Func{Name: name, Pool: pool, Compile: func() *Code { return c }}
}

// straight is a body of steps that returns.
func straight(steps ...Instr) *Code { return &Code{Entry: &Block{Code: steps, Kind: Return}} }

// call runs a function with a parameter on a goroutine of its own, as a cell does, and returns its frame.
func call(x *Execution, f *Func, n int) (out record, value any, trace []Call, ok bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g := NewG(x)
		g.Begin()
		defer g.End()
		frame := f.Enter(g.Root())
		of(frame).n = n
		value, trace, ok = Try(frame)
		out = *of(frame)
	}()
	<-done
	return out, value, trace, ok
}

// sums is a loop that adds n, n-1, ... 1.
func sums() *Code {
	end := &Block{Kind: Return}
	head := &Block{Kind: Branch, Cond: func(f unsafe.Pointer) bool { return of(f).n > 0 }, No: end}
	head.Yes = &Block{Kind: Jump, Back: true, Yes: head, Code: []Instr{
		func(f unsafe.Pointer) { of(f).sum += of(f).n },
		func(f unsafe.Pointer) { of(f).n-- },
	}}
	return &Code{Entry: &Block{Kind: Jump, Yes: head}}
}

func TestBlocks(t *testing.T) {
	f := function("sums", 1, sums())
	for n, want := range map[int]int{0: 0, 1: 1, 10: 55, 1000: 500500} {
		if out, value, _, ok := call(NewExecution(nil), f, n); !ok || out.sum != want {
			t.Errorf("sum to %d is %d, %v", n, out.sum, value)
		}
	}
}

// TestBecome: calls of a function that was declared again run the new body, also those of a code that was compiled
// before.
func TestBecome(t *testing.T) {
	old := function("f", 1, straight(func(f unsafe.Pointer) { of(f).sum = 1 }))
	by := function("f", 2, straight(func(f unsafe.Pointer) { of(f).sum = 2 }))
	last := function("f", 3, straight(func(f unsafe.Pointer) { of(f).sum = 3 }))
	for want, to := range map[int]*Func{2: by, 3: last} {
		old.Become(to)
		if out, _, _, _ := call(NewExecution(nil), old, 0); out.sum != want {
			t.Errorf("%d, want %d", out.sum, want)
		}
	}
}

// TestFrames: a frame that was left is used again, without the pointers that it held; frames of a recursion are apart.
func TestFrames(t *testing.T) {
	leaf := function("leaf", 1, straight(func(f unsafe.Pointer) { of(f).p = new(int) }))
	leaf.Compile = func() *Code {
		c := straight(func(f unsafe.Pointer) { of(f).p = new(int) })
		c.Frame, c.Pointers = reflect.TypeFor[record](), []uintptr{unsafe.Offsetof(record{}.p)}
		return c
	}
	g := NewG(NewExecution(nil))
	first := leaf.Enter(g.Root())
	inner := leaf.Enter(first)
	if first == inner {
		t.Fatal("two active calls have one frame")
	}
	Run(inner)
	if of(inner).p == nil {
		t.Fatal("the body did not run")
	}
	Leave(inner)
	if of(inner).p != nil {
		t.Error("a free frame keeps a pointer")
	}
	if again := leaf.Enter(first); again != inner {
		t.Error("a free frame is not used again")
	}
}

// TestPools: functions that share a pool do not take each other's frames.
func TestPools(t *testing.T) {
	a, b := function("a", 5, straight()), function("b", 5, straight())
	g := NewG(NewExecution(nil))
	frame := a.Enter(g.Root())
	Run(frame)
	Leave(frame)
	if other := b.Enter(g.Root()); other == frame || HeadOf(other).Fn != b {
		t.Error("b has a frame of a")
	}
}

// TestDepth: recursion without end is a panic with the calls, not the end of the process.
func TestDepth(t *testing.T) {
	var f *Func
	f = function("again", 1, straight(func(frame unsafe.Pointer) {
		inner := f.Enter(frame)
		Run(inner)
		Leave(inner)
	}))
	_, value, trace, ok := call(NewExecution(nil), f, 0)
	var deep DepthError
	if err, isError := value.(error); ok || !isError || !errors.As(err, &deep) || len(trace) == 0 {
		t.Errorf("%v %v, %d calls", ok, value, len(trace))
	}
}

// TestStop: a loop, a call and a wait end by it, with a panic that is not a cell's.
func TestStop(t *testing.T) {
	forever := &Block{Kind: Jump, Back: true, Code: []Instr{func(unsafe.Pointer) { runtime.Gosched() }}}
	forever.Yes = forever
	leaf := function("leaf", 2, straight())
	for name, c := range map[string]*Code{
		"loop": {Entry: forever},
		"call": straight(func(f unsafe.Pointer) {
			for {
				inner := leaf.Enter(f)
				Run(inner)
				Leave(inner)
			}
		}),
		"wait": straight(func(f unsafe.Pointer) { <-HeadOf(f).G.Done(); Check(f) }),
	} {
		x := NewExecution(nil)
		time.AfterFunc(20*time.Millisecond, x.Stop)
		_, value, _, ok := call(x, function(name, 1, c), 0)
		if _, interrupted := value.(Interrupted); ok || !interrupted || !x.IsStopped() {
			t.Errorf("%s ends with %v", name, value)
		}
	}
}

// TestDefers: deferred calls run last first, also behind a panic; one that recovers ends it.
func TestDefers(t *testing.T) {
	for _, panics := range []bool{false, true} {
		for _, recovers := range []bool{false, true} {
			var order []string
			note := func(text string) Instr { return func(unsafe.Pointer) { order = append(order, text) } }
			c := straight(
				func(f unsafe.Pointer) { Push(f, &Deferred{Call: note("first")}) },
				func(f unsafe.Pointer) {
					if recovers {
						rescue := function("rescue", 3, straight(func(f unsafe.Pointer) {
							order = append(order, fmt.Sprint("recovered ", Recover(f)))
						}))
						Push(f, &Deferred{Frame: rescue.Enter(f)})
					}
				},
				func(f unsafe.Pointer) { Push(f, &Deferred{Call: note("last")}) },
				func(unsafe.Pointer) {
					if panics {
						panic("fault")
					}
				},
				func(f unsafe.Pointer) { RunDefers(f) },
			)
			c.Defers, c.Clear = true, func(unsafe.Pointer) {}
			_, value, _, ok := call(NewExecution(nil), function("f", 1, c), 0)
			want := []string{"last", "first"}
			switch {
			case recovers && panics:
				want = []string{"last", "recovered fault", "first"}
			case recovers:
				want = []string{"last", "recovered <nil>", "first"}
			}
			if !slices.Equal(order, want) || ok != (recovers || !panics) || !ok && value != "fault" {
				t.Errorf("panics %v, recovers %v: %q, %v %v", panics, recovers, order, value, ok)
			}
		}
	}
}

// TestFinalPanics: what ends a cell whatever it does is not recovered.
func TestFinalPanics(t *testing.T) {
	for _, value := range []any{Interrupted{}, Exited{3}, Fatal{"fatal error: x"}} {
		rescued := any(nil)
		rescue := function("rescue", 3, straight(func(f unsafe.Pointer) { rescued = Recover(f) }))
		c := straight(
			func(f unsafe.Pointer) { Push(f, &Deferred{Frame: rescue.Enter(f)}) },
			func(unsafe.Pointer) { panic(value) },
		)
		c.Defers = true
		if _, got, _, ok := call(NewExecution(nil), function("f", 1, c), 0); ok || got != value || rescued != nil {
			t.Errorf("%v: ends with %v, recovered %v", value, got, rescued)
		}
	}
}

// TestTrace: a panic has the calls, the innermost first.
func TestTrace(t *testing.T) {
	inner := function("inner", 2, straight(func(f unsafe.Pointer) { HeadOf(f).Site = 7; panic("fault") }))
	outer := function("outer", 1, straight(func(f unsafe.Pointer) {
		HeadOf(f).Site = 5
		Run(inner.Enter(f))
	}))
	_, value, trace, _ := call(NewExecution(nil), outer, 0)
	var names []string
	for _, c := range trace {
		names = append(names, fmt.Sprint(c.Name, " ", c.Pos))
	}
	if got := strings.Join(names, ", "); value != "fault" || got != "inner 7, outer 5" {
		t.Errorf("%v at %s", value, got)
	}
}
