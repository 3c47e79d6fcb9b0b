package notebook_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// soak returns the count all if SPHERELAB_SOAK is set.
func soak(few, all int) int {
	if os.Getenv("SPHERELAB_SOAK") == "1" {
		return all
	}
	return few
}

// endless are cells that only an interrupt ends.
var endless = map[string]string{
	"empty loop":         "for { }",
	"counting loop":      "for i := 0; ; i++ { junk = i }",
	"range over int":     "for i := range 1 << 60 { junk = i }",
	"nested loops":       "for { for i := 0; i < 10; i++ { junk += i } }",
	"function":           "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfib(90)",
	"closure":            "f := func(n int) int { return n + 1 }\nfor { junk = f(junk) }",
	"with defer":         "func d() { defer func() {}(); junk++ }\nfor { d() }",
	"callback":           "lab.Train(context.Background(), func(i int) { junk = i })",
	"sleep":              "time.Sleep(time.Hour)",
	"compiled with ctx":  "lab.Train(ctx, nil)",
	"panic with ctx":     "if err := lab.Train(ctx, nil); err != nil { panic(err) }",
	"sleeping loop":      "for { time.Sleep(time.Millisecond); junk++ }",
	"receive":            "<-make(chan int)",
	"receive two":        "v, ok := <-make(chan int)\nfmt.Println(v, ok)",
	"send":               "make(chan int) <- 1",
	"range over channel": "c := make(chan int)\nfor range c { }",
	"select":             "select { }",
	"select of two":      "a, b := make(chan int), make(chan int)\nselect { case <-a: case b <- 1: }",
	"nil channel":        "var c chan int\n<-c",
	"recovering":         "for { func() { defer func() { recover() }(); for { junk++ } }() }",
	"printing":           "for { fmt.Println(junk) }",
	"shell":              "$sleep 1000",
	"shell tree":         "$sleep 1000 & sleep 1000; wait",
	"magic":              "%%wait",
	"timeit":             "%timeit time.Sleep(10 * time.Millisecond)",
	"method":             "fmt.Sprint(Loop{})",
	"method of a value":  "Loop{}",
	"ctx and more":       "<-ctx.Done()\nselect { }",
	"until ctx ends":     "for ctx.Err() == nil { }",
	"lock":               "var m sync.Mutex\nm.Lock()\nm.Lock()",
	"lock by interface":  "var l sync.Locker = new(sync.Mutex)\nl.Lock()\nl.Lock()",
	"sleep by a value":   "sleep := time.Sleep\nsleep(time.Hour)",
	"condition": "var m sync.Mutex\nready := sync.NewCond(&m)\nwait := func() { m.Lock(); defer m.Unlock(); " +
		"for { ready.Wait() } }\ngo wait()\nwait()",
	"condition, locked": "var m sync.Mutex\nready := sync.NewCond(&m)\nm.Lock()\ngo func() { m.Lock(); select { } }()\n" +
		"ready.Wait()",
	"wait group": "var g sync.WaitGroup\ng.Add(1)\ng.Wait()",
	"sorting":    "slices.SortFunc(make([]byte, 1<<25), func(a, b byte) int { return -1 })",
	"iterator":   "for range func(yield func() bool) { for yield() { } } { junk++ }",
}

const endlessPrelude = `import ("fmt"; "time"; "context"; "slices"; "sync")
junk, count := 0, 0
keep := map[string]int{"a": 1}
type Loop struct{}
func (Loop) String() string { for { junk++ } }`

// interruptAfter runs a cell and interrupts it; it returns how long the cell continued.
func (s *session) interruptAfter(code string, wait time.Duration, byContext bool) (outcome, time.Duration) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var sent time.Time
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		time.Sleep(wait)
		sent = time.Now()
		if byContext {
			cancel()
			return
		}
		for { // an interrupt before the cell begins has no effect
			s.Interrupt()
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	done := make(chan outcome, 1)
	go func() { done <- s.runIn(ctx, code) }()
	select {
	case o := <-done:
		close(ended)
		<-told
		return o, time.Since(sent)
	case <-time.After(30 * time.Second):
		s.t.Fatalf("not interrupted after 30 s: %s", code)
	}
	return outcome{}, 0
}

// TestInterruptedMagic: the error does not repeat that the context has ended.
func TestInterruptedMagic(t *testing.T) {
	s := start(t, lab())
	o, _ := s.interruptAfter("%%wait", 20*time.Millisecond, true)
	if o.failure == nil || o.failure.Name != kernel.NameInterrupted || o.failure.Value != "the cell was interrupted" {
		t.Errorf("%v", o.failure)
	}
}

// TestInterrupt interrupts each kind of cell, by either way.
func TestInterrupt(t *testing.T) {
	s := start(t, lab())
	s.ok(endlessPrelude)
	var kinds []string
	for name := range endless {
		kinds = append(kinds, name)
	}
	sort.Strings(kinds)
	for i, name := range kinds {
		t.Run(name, func(t *testing.T) {
			o, late := s.interruptAfter(endless[name], 60*time.Millisecond, i%2 == 0)
			if o.failure == nil || o.failure.Name != kernel.NameInterrupted {
				t.Fatalf("ended with %v, value %q", o.failure, o.value)
			}
			if late > 5*time.Second || strings.Contains(o.err, "cannot be stopped") {
				t.Errorf("continued for %v: %s", late, o.err)
			}
			if name == "counting loop" && !strings.Contains(strings.Join(o.failure.Traceback, "\n"), "cell [") {
				t.Errorf("no place: %v", o.failure.Traceback)
			}
			if o := s.ok("count++\ncount"); o.value != fmt.Sprint(i+1) {
				t.Errorf("count is %s, want %d", o.value, i+1)
			}
		})
	}
}

// TestInterruptedPlace: an error of an empty loop names the loop.
func TestInterruptedPlace(t *testing.T) {
	s := start(t, lab())
	for _, code := range []string{"\nfor {\n}", "\ngoto here\nhere: goto here", "junk := 0; _ = junk\nfor {}"} {
		o, _ := s.interruptAfter(code, 20*time.Millisecond, false)
		if want := fmt.Sprintf("cell [%d]:2", s.cells); o.failure == nil || o.failure.Traceback[1] != want {
			t.Errorf("%q is interrupted with %v, want %s", code, o.failure, want)
		}
	}
}

// TestInterruptsKeepState interrupts at random moments; variables stay and the next cell runs.
func TestInterruptsKeepState(t *testing.T) {
	n := soak(100, 1000)
	s := start(t, lab())
	s.ok(endlessPrelude)
	var codes []string
	for name, code := range endless {
		if name != "timeit" && name != "printing" {
			codes = append(codes, code)
		}
	}
	sort.Strings(codes)
	random := rand.New(rand.NewSource(1))
	var late []time.Duration
	for i := 0; i < n; i++ {
		wait := time.Duration(random.Intn(20_000)) * time.Microsecond
		code := codes[random.Intn(len(codes))]
		o, d := s.interruptAfter(code, wait, random.Intn(2) == 0)
		if o.failure == nil {
			t.Fatalf("interrupt %d: ended without error", i)
		}
		if o.failure.Name != kernel.NameInterrupted {
			t.Fatalf("interrupt %d: %v\n%s", i, o.failure, strings.Join(o.failure.Traceback, "\n"))
		}
		if code != endless["condition, locked"] { // which waits a second for the lock that deferred calls unlock
			late = append(late, d)
		}
		if o := s.ok("count++\nkeep[\"a\"]++\ncount*1000 + keep[\"a\"]"); o.value != fmt.Sprint((i+1)*1000+i+2) {
			t.Fatalf("after interrupt %d the state is %s", i, o.value)
		}
	}
	sort.Slice(late, func(i, j int) bool { return late[i] < late[j] })
	n = len(late)
	t.Logf("%d interrupts: median %v, 99%% %v, worst %v", n, late[n/2], late[n*99/100], late[n-1])
}

// TestInterruptBetweenCells: it has no effect.
func TestInterruptBetweenCells(t *testing.T) {
	s := start(t, notebook.Options{})
	s.Interrupt()
	if o := s.ok("s := 0\nfor i := 0; i < 100000; i++ { s += i }\ns"); o.value != "4999950000" {
		t.Errorf("value %s", o.value)
	}
}

// TestInterruptedByContext: a cell that ends when its context does is interrupted, also if it ends before the
// interpreter is stopped. The contexts that it made keep the interrupt busy after ctx has ended.
func TestInterruptedByContext(t *testing.T) {
	s := start(t, lab())
	s.ok(`import ("context"; "io")`)
	const code = `for i := 0; i < 100_000; i++ {
	context.WithCancel(ctx)
}
ended := func() error { <-ctx.Done(); return io.EOF }
ended()`
	o, _ := s.interruptAfter(code, 300*time.Millisecond, true)
	if o.failure == nil || o.failure.Name != kernel.NameInterrupted {
		t.Errorf("ended with %v, value %q", o.failure, o.value)
	}
}

// TestContext: ctx belongs to the cell, goroutines may keep theirs, a user's own ctx is left alone.
func TestContext(t *testing.T) {
	s := start(t, lab())
	s.ok("import (\"context\"; \"time\")\nold := ctx\nended := make(chan bool, 1)\n" +
		"go func(c context.Context) { <-c.Done(); ended <- true }(ctx)")
	if o := s.ok("ctx == old"); o.value != "false" {
		t.Error("ctx is that of the cell before")
	}
	if o, _ := s.interruptAfter("lab.Train(ctx, nil)", 20*time.Millisecond, false); o.failure == nil {
		t.Error("not interrupted")
	}
	if o := s.ok("ctx.Err() == nil && old.Err() == nil && len(ended) == 0"); o.value != "true" {
		t.Error("an interrupt ended another cell's context")
	}
	s.ok("ctx := context.WithValue(context.Background(), \"k\", \"mine\")")
	if o := s.ok("ctx.Value(\"k\")"); o.value != "mine" {
		t.Errorf("own ctx was replaced: %v", o.value)
	}
}

// TestBlocked: what cannot be stopped says so.
func TestBlocked(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import \"os/exec\"")
	const blocked = "exec.Command(\"sleep\", \"2\").Run()\nfor { }"
	o, _ := s.interruptAfter(blocked, 20*time.Millisecond, false)
	if o.failure == nil || o.failure.Name != kernel.NameInterrupted {
		t.Errorf("ended with %v", o.failure)
	}
	if !strings.Contains(o.err, "cannot be stopped") {
		t.Errorf("said %q", o.err)
	}
}

// TestDefersRunOnInterrupt: deferred functions have time to do their work.
func TestDefersRunOnInterrupt(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("saved := 0\nfunc work() { defer func() { saved++ }(); for { } }")
	s.interruptAfter("work()", 30*time.Millisecond, false)
	if o := s.ok("saved"); o.value != "1" {
		t.Errorf("saved = %s", o.value)
	}
}
