package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// TestGoroutinePanic: it is reported and ends only the goroutine.
func TestGoroutinePanic(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("sync"; "time")`)
	o := s.ok("func boom(m map[string]int) {\n\tm[\"x\"] = 1\n}\ngo boom(nil)\ngo func() { panic(\"second\") }()\n" +
		"go panic(\"third\")\nvar wg sync.WaitGroup\nwg.Go(func() { panic(4) })\nwg.Wait()\n" +
		"func deep(n int) int { return deep(n+1) + 1 }\n" +
		"ended := make(chan bool)\ngo func() { defer close(ended); deep(0) }()\n" +
		"time.AfterFunc(1, func() { panic(5.5) })\n<-ended\ntime.Sleep(time.Second)")
	for _, part := range []string{"nil map", "cell [2]:2 in boom", ": second", ": third", ": 4", ": 5.5", "stack overflow"} {
		if !strings.Contains(o.err, part) {
			t.Errorf("no %q in %s", part, o.err)
		}
	}
	if n := strings.Count(o.err, "panic in a goroutine"); n != 6 {
		t.Errorf("%d reports, want 6: %s", n, o.err)
	}
	for code, want := range map[string]string{
		"var f func()\ngo f()": "nil pointer",
		"type Direct struct{}\nfunc (Direct) Go(f func()) { f() }\nDirect{}.Go(func() { panic(3) })": "3",
	} {
		if o := s.run(code); o.failure == nil || !strings.Contains(o.failure.Value, want) {
			t.Errorf("%s: %v, %s", code, o.failure, o.err)
		}
	}
	if o := s.ok("1+1"); o.value != "2" {
		t.Error("the session is gone")
	}
}

// TestGoroutineExit: it is not a panic, and follows what the goroutine printed.
func TestGoroutineExit(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("log"; "os"; "time")`)
	o := s.ok("go func() {\n\tlog.Fatal(\"last words\")\n}()\ntime.Sleep(100 * time.Millisecond)")
	want := "last words\na goroutine started by a cell ended (the kernel continues): exit status 1\ncell [2]:2 in func literal\n"
	if !strings.Contains(o.err, want) {
		t.Errorf("%q", o.err)
	}
	if o := s.ok("go os.Exit(3)\ntime.Sleep(100 * time.Millisecond)"); strings.Contains(o.err, "panic") {
		t.Errorf("%q", o.err)
	}
}

// TestDeepMethod: a method that calls itself without an end, called by package fmt, ends about as soon as one that a
// cell calls.
func TestDeepMethod(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import \"fmt\"\ntype T struct{}\nfunc (t *T) String() string { return t.String() }")
	direct := s.run("(&T{}).String()")
	if direct.failure == nil || !strings.Contains(direct.failure.Value, "stack overflow") {
		t.Fatalf("ended with %v", direct.failure)
	}
	called := s.run("fmt.Sprint(&T{})")
	if called.failure == nil || !strings.Contains(called.failure.Value, "stack overflow") ||
		called.took > 10*direct.took+time.Second {
		t.Errorf("ended with %v after %v, the direct call took %v", called.failure, called.took, direct.took)
	}
}

// TestLongValue: the text of a value is cut.
func TestLongValue(t *testing.T) {
	s := start(t, notebook.Options{})
	o := s.run("make([]int, 1000000)")
	if len(o.value) > display.LongestText+200 || !strings.Contains(o.value, "... 1900001 more bytes") {
		t.Errorf("a long value is %d bytes: %q", len(o.value), o.value[max(0, len(o.value)-100):])
	}
}

// TestRecursiveTypesLive: many nodes of types made at run time, through many collections.
func TestRecursiveTypesLive(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import \"runtime\"\ntype L struct { pad [3]string; Next *L; kids map[int]*L; V int }\n" +
		"func (l *L) Sum() (n int) { for ; l != nil; l = l.Next { n += l.V + len(l.kids) }; return }")
	o := s.ok("var head *L\nfor i := range 3000 { head = &L{Next: head, V: i, kids: map[int]*L{i: head}}\n" +
		"if i%300 == 0 { runtime.GC() } }\nhead.Sum()")
	if o.value != "4501500" {
		t.Errorf("sum %s", o.value)
	}
	if o := s.run("head.Nope()"); o.failure == nil || !strings.Contains(o.failure.Value, "Nope") {
		t.Errorf("a method that is not there: %v", o.failure)
	}
}
