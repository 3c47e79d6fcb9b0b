package compile

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/snippet"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestCallbacksDoNotAllocate: compiled code, like package sort, calls functions of cells of the commonest signatures
// without new memory, and gets what they return.
func TestCallbacksDoNotAllocate(t *testing.T) {
	pkg := snippet.Build(t, `func f() (func(int), func(string) bool, func(int, int) int, func() string) {
	total := 0
	return func(n int) { total += n }, func(s string) bool { return s == "yes" },
		func(a, b int) int { total++; return 10*a + b + total }, func() string { return "here" }
}`)
	c, f := New(pkg.Prog, layout.New(nil), nil), pkg.Func("f")
	plan := slot.PlanOf(c.Types, f.Signature)
	x := run.NewExecution(nil)
	c.Run(x)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g := run.NewG(x)
		g.Begin()
		defer g.End()
		frame := c.Func(f).Enter(g.Root())
		if value, _, ok := run.Try(frame); !ok {
			t.Errorf("panic: %v", value)
			return
		}
		result := func(i int) any {
			rt := c.Types.Of(f.Signature.Results().At(i).Type())
			return reflect.NewAt(rt, unsafe.Add(frame, plan.Results[i])).Elem().Interface()
		}
		add, is := result(0).(func(int)), result(1).(func(string) bool)
		join, here := result(2).(func(int, int) int), result(3).(func() string)
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
	}()
	<-done
}
