package notebook_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel"
)

// TestCompileBesideGoroutines: goroutines of earlier cells, and the cell that runs, look up types while others
// compile, complete and inspect.
func TestCompileBesideGoroutines(t *testing.T) {
	processors := runtime.GOMAXPROCS(0)
	s := start(t, lab())
	s.ok(`import ("fmt"; "sync/atomic")
var stop atomic.Bool
var runs [3]atomic.Int64
type pair struct { a, b []string }
func work(a []string) int { var p []string; p = a; q := pair{a: p}; r := fmt.Sprint(q); return len(r) }
for i := 0; i < 3; i++ { go func(i int) { for !stop.Load() { x := []string{"a"}; y := x; work(y); runs[i].Add(1) } }(i) }`)
	n := soak(20, 300)
	for i := 0; i < n; i++ {
		code := fmt.Sprintf(`type T%[1]d struct { A%[1]d int; B []map[string]*T%[1]d }
func (t T%[1]d) Get() [%[2]d]int { return [%[2]d]int{} }
func f%[1]d(a T%[1]d, n [%[2]d]int) (int, error) { m := map[string]T%[1]d{}; return len(m) + len(n), nil }
f%[1]d(T%[1]d{}, [%[2]d]int{})`, i, i+1)
		if o := s.ok(code); o.value != fmt.Sprint(i+1) {
			t.Fatalf("cell %d: %q", i, o.value)
		}
	}
	done := make(chan outcome)
	go func() { done <- s.run("fmt.Print(\"begun\")\nfor !stop.Load() { x := []string{\"b\"}; work(x) }") }()
	for s.io.printed() != "begun" { // an interrupt before the cell begins is the server's business
		time.Sleep(time.Millisecond)
	}
	for i := 0; i < n; i++ {
		if c := s.Complete(fmt.Sprintf("T%d{}.", i), 0); c.End != 0 {
			t.Fatalf("completion: %+v", c)
		}
		s.Complete("lab.NewModel(1).", 16)
		s.Inspect(fmt.Sprintf("f%d", i), 1, 1)
	}
	s.Interrupt()
	if o := <-done; o.failure == nil || o.failure.Name != kernel.NameInterrupted {
		t.Errorf("the cell ended with %v", o.failure)
	}
	if o := s.ok("stop.Store(true)\nruns[0].Load() > 0 && runs[1].Load() > 0 && runs[2].Load() > 0"); o.value != "true" {
		t.Error("a goroutine did not run")
	}
	if now := runtime.GOMAXPROCS(0); now != processors {
		t.Errorf("%d processors afterwards, %d before", now, processors)
	}
}
