package compile

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestCallbacksDoNotAllocate: compiled code, like package sort, calls functions of cells of the commonest signatures
// without new memory, and gets what they return.
func TestCallbacksDoNotAllocate(t *testing.T) {
	call(t, `func f() (func(int), func(string) bool, func(int, int) int, func() string) {
	total := 0
	return func(n int) { total += n }, func(s string) bool { return s == "yes" },
		func(a, b int) int { total++; return 10*a + b + total }, func() string { return "here" }
}`, func(results []any, failure any) {
		if failure != nil {
			t.Errorf("panic: %v", failure)
			return
		}
		add, is := results[0].(func(int)), results[1].(func(string) bool)
		join, here := results[2].(func(int, int) int), results[3].(func() string)
		add(100)
		if !is("yes") || is("no") || join(7, 5) != 176 || here() != "here" {
			t.Error("a function returns something else")
		}
		n := testing.AllocsPerRun(200, func() {
			add(1)
			is("no")
			join(1, 2)
			here()
		})
		if n != 0 && !expect.RaceDetector { // sync.Pool drops some there
			t.Errorf("%v allocations", n)
		}
	})
}
