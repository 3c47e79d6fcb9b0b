package cell_test

import (
	"runtime"
	"testing"
	"time"
)

// TestForgotten: the memory of a session that nothing leads to any more is free, whatever its cells were.
func TestForgotten(t *testing.T) {
	for name, code := range map[string]string{
		"no cell":  "",
		"variable": "x := 1\nx++",
		"method":   "type T struct{}\nfunc (T) Error() string { return \"t\" }\nvar err error = T{}\nerr.Error()",
		"callback": "import \"sort\"\nl := []int{3, 1}\nsort.Slice(l, func(i, j int) bool { return l[i] < l[j] })",
		"generic":  "import \"slices\"\nfunc same[T any](x T) T { return x }\nslices.Max([]int{same(3)})",
	} {
		t.Run(name, func(t *testing.T) {
			free := make(chan bool)
			func() {
				s := newSession(t)
				run1(t, s, code)
				runtime.AddCleanup(s, func(free chan bool) { close(free) }, free)
			}()
			for range 100 {
				runtime.GC()
				select {
				case <-free:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
			t.Error("something still leads to the session")
		})
	}
}
