package notebook_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// cellsOfASession is what the memory test runs over and over: variables, functions, types, goroutines, errors, output.
var cellsOfASession = []string{
	"x := 1",
	"x + 1",
	"func f(n int) int { return n * 2 }",
	"f(x)",
	"type T struct { A int }",
	"t := T{x}",
	"fmt.Println(t.A)",
	"for i := range 10 { x += i }",
	"undefined(1)",
	"panic(\"p\")",
	"s := make([]int, 1000)",
	"c := make(chan int)\ngo func() { c <- 1 }()\n<-c",
	"Display(display.HTML(\"a\"))",
	"%vars",
}

// TestMemory: what cells leave behind does not add up.
func TestMemory(t *testing.T) {
	n := soak(2000, 10000)
	if testing.Short() {
		n = 500
	}
	s := start(t, notebook.Options{})
	s.ok(`import "fmt"`)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var first int64
	before := runtime.NumGoroutine() // other tests leave some that wait for locks forever
	begin := time.Now()
	for i := 0; i < n; i++ {
		if i == n/5 {
			first = heap()
		}
		code := cellsOfASession[i%len(cellsOfASession)]
		s.run(code)
	}
	took := time.Since(begin)
	last := heap()
	cells := int64(n - n/5)
	t.Logf("%d cells in %v (%v each): heap %d kB, then %d kB, %d bytes per cell", n, took,
		took/time.Duration(n), first>>10, last>>10, (last-first)/cells)
	if (last-first)/cells > 1500 {
		t.Errorf("each cell leaves %d bytes", (last-first)/cells)
	}
	if n := runtime.NumGoroutine() - before; n > 20 {
		t.Errorf("%d more goroutines", n)
	}
}

func BenchmarkStart(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := start(b, notebook.Options{})
		s.do(func() { _ = s.Close() })
	}
}

func BenchmarkOnePlusOne(b *testing.B) {
	s := start(b, notebook.Options{})
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		s.ok("1+1")
	}
}

// BenchmarkLoop is an interpreted loop of a million additions.
func BenchmarkLoop(b *testing.B) {
	s := start(b, notebook.Options{})
	s.ok("total := 0")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		s.ok("for i := 0; i < 1000000; i++ { total += i }")
	}
}

// BenchmarkCompiledCalls calls a compiled function a million times from an interpreted loop.
func BenchmarkCompiledCalls(b *testing.B) {
	s := start(b, lab())
	s.ok("v := 0")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		s.ok("for i := 0; i < 1000000; i++ { v = lab.Inc(v) }")
	}
	if o := s.ok("v"); o.value != fmt.Sprint(b.N*1000000) {
		b.Errorf("v = %s", o.value)
	}
}

// TestTooMuchMemory: a slice that the machine has no memory for is an error of the cell, not the end of the session.
func TestTooMuchMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the size of the memory is asked for on Linux alone")
	}
	s := start(t, notebook.Options{})
	const text = "out of memory: 70368.7 GB were requested, and this machine has"
	s.ok("kept, n := 1, 1<<46")
	for _, code := range []string{"make([]byte, 1<<46)", "make([]byte, n)", "make([]struct{ a, b int }, 0, n/16)",
		"new([1 << 46]byte)"} {
		o := s.run("kept++\n" + code)
		if o.failure == nil || !strings.HasPrefix(o.failure.Value, text) || !strings.HasSuffix(o.failure.Traceback[1], ":2") {
			t.Errorf("%s ended with %+v", code, o.failure)
		}
	}
	if o := s.ok("kept"); o.value != "5" {
		t.Errorf("kept is %s", o.value)
	}
}
