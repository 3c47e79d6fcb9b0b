package cell_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestInterrupt ends cells that would not end, and shows that the session still runs cells and that deferred calls ran.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"loop":      "for {}",
		"recursion": "var f func(int) int\nf = func(n int) int { if n < 2 { return n }; return f(n-1) + f(n-2) }\nf(90)",
		"channel":   "<-make(chan int)",
		"send":      "make(chan int) <- 1",
		"nil":       "var c chan int\nc <- 1",
		"select":    "select {}",
		"lock":      "var m sync.Mutex\nm.Lock()\nm.Lock()",
		"read lock": "var m sync.RWMutex\nm.Lock()\nm.RLock()",
		"group":     "var g sync.WaitGroup\ng.Add(1)\ng.Wait()",
		"sleep":     "time.Sleep(time.Hour)",
		"range":     "for range make(chan int) {}",
		"iterator":  "for range func(yield func() bool) { for yield() {} } {}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			run1(t, s, "ended, started := false, false")
			// A slow machine may stop the cell before its first statement: such a try shows nothing.
			for delay := 50 * time.Millisecond; run1(t, s, "started") == "[false]"; delay *= 2 {
				x := run.NewExecution(nil)
				stop := time.AfterFunc(delay, x.Stop)
				begin := time.Now()
				_, err := s.Run("cell[1]", "import (\n\"sync\"\n\"time\"\n)\n_, _ = time.Hour, sync.Mutex{}\n"+
					"func() { defer func() { recover(); ended = true }()\nstarted = true\n"+code+"\n}()", x)
				stop.Stop()
				if !errors.As(err, new(run.Interrupted)) {
					t.Fatalf("ended with %v, want an interrupt", err)
				}
				if took := time.Since(begin); took > delay+10*time.Second {
					t.Errorf("ended after %v", took)
				}
			}
			if got := run1(t, s, "ended"); got != "[true]" {
				t.Errorf("the deferred call ran: %s", got)
			}
		})
	}
}

func run1(t *testing.T, s *cell.Session, code string) string {
	t.Helper()
	values, err := s.Run("cell[0]", code, run.NewExecution(nil))
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return fmt.Sprint(values)
}

// TestPanicPlace tells where a panic happened, by function and line of the cell.
func TestPanicPlace(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	_, err := s.Run("cell[3]", "func inner(xs []int, i int) int {\n\treturn xs[i]\n}\n\nfunc outer() int {\n"+
		"\treturn 1 + inner([]int{1}, 4)\n}\n\nouter()", run.NewExecution(nil))
	var p *cell.Panic
	if !errors.As(err, &p) {
		t.Fatalf("ended with %v", err)
	}
	got := p.Error()
	for _, c := range p.Calls {
		got += fmt.Sprintf("\n%s %s:%d", c.Name, c.Cell, c.Line)
	}
	const want = "panic: runtime error: index out of range [4] with length 1\n" +
		"main.inner cell[3]:2\nmain.outer cell[3]:6\nmain.cell·1 cell[3]:9"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDepth ends a recursion without end before it takes all memory.
func TestDepth(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	_, err := s.Run("cell[1]", "func f(n int) int { return f(n+1) + 1 }\nf(0)", run.NewExecution(nil))
	if err == nil || !strings.Contains(err.Error(), "stack overflow") {
		t.Errorf("ended with %v", err)
	}
	if got := run1(t, s, "1 + 1"); got != "[2]" {
		t.Errorf("then 1 + 1 gave %s", got)
	}
}

// TestGoroutinePanic: the panic of a goroutine is reported, and the session still runs cells.
func TestGoroutinePanic(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	told := make(chan string, 1)
	s.Failed = func(p *cell.Panic) { told <- p.Error() }
	run1(t, s, `go func() { panic("lost") }()`)
	select {
	case got := <-told:
		if got != "panic: lost" {
			t.Errorf("told %q", got)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody was told")
	}
}

// TestForeignPanic: a panic in a goroutine that compiled code started for a cell is reported too.
func TestForeignPanic(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	told := make(chan string, 1)
	s.Failed = func(p *cell.Panic) { told <- p.Error() }
	run1(t, s, "import \"time\"\ntime.AfterFunc(0, func() { var m map[string]int\nm[\"a\"] = 1 })")
	const want = "panic: assignment to entry in nil map"
	if got := <-told; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if got := run1(t, s, "1 + 1"); got != "[2]" {
		t.Errorf("then 1 + 1 gave %s", got)
	}
}

// TestRedeclaration: a later declaration takes the place of an earlier one. Functions keep what they were compiled
// with, and variables keep their types.
func TestRedeclaration(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for i, c := range [][2]string{
		{"type T struct{ a int }\nfunc (t T) Name() string { return \"first\" }\nv := T{1}", "[]"},
		{"type T struct{ a, b int }\nfunc (t T) Name() string { return \"second\" }\nw := T{1, 2}", "[]"},
		{"v.Name() + w.Name()", "[firstsecond]"},
		{"func f() int { return 1 }\nfunc g() int { return f() }", "[]"},
		{"func f() int { return 2 }\nf() + 10*g()", "[12]"},
		{"x := 1", "[]"},
		{"x := \"text\"\nx", "[text]"},
		{"x, y := 2, 3\nx + y", "[5]"},
		{"const x = 7\nx * y", "[21]"},
		{"any(v) == any(T{1, 2})", "[false]"},
	} {
		values, err := s.Run(fmt.Sprintf("cell[%d]", i+1), c[0], run.NewExecution(nil))
		if got := fmt.Sprint(values); err != nil || got != c[1] {
			t.Errorf("%s\ngave %s, %v, want %s", c[0], got, err, c[1])
		}
	}
}

// TestLateMethod declares methods in later cells than their type.
func TestLateMethod(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for i, c := range [][2]string{
		{"type T struct{ n int }\nv := T{3}\ntype Namer interface{ Name() string }", "[]"},
		{"func (t T) Name() string { return nope }", "cell[2]:1:35: undefined: nope"},
		{"import \"strings\"\nfunc (t T) Name() string { return strings.Repeat(\"x\", t.n) }\nv.Name()", "[xxx]"},
		{"func (t *T) Add(k int) (r int) { if k > 0 { t.n++; r = t.Add(k - 1) + 1 }; return }\nv.Add(2)", "[2]"},
		{"var x Namer = v\nx.Name()", "[xxxxx]"},
		{"var y any = &v\n_, ok := y.(interface{ Add(int) int })\nok", "[true]"},
		{"func (t T) Name() string { return \"other\" }\nx.Name() + v.Name()", "[otherother]"},
		{"func (t T) Name() int { return 1 }",
			"cell[8]:1:12: method T.Name already declared with another signature: declare T again to change it"},
		{"type T struct{ n int }\nfunc (t T) Name() string { return \"again\" }\nx.Name() + v.Name() + T{}.Name()", "[againagainagain]"},
		{"type T struct{ n int }\nfunc (t T) Name() int { return t.n }\n_, same := y.(*T)\nsame", "[false]"},
	} {
		values, err := s.Run(fmt.Sprintf("cell[%d]", i+1), c[0], run.NewExecution(nil))
		got := fmt.Sprint(values)
		if err != nil {
			got = err.Error()
		}
		if got != c[1] {
			t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
		}
	}
}
