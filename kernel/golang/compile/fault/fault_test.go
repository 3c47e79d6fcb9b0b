package fault

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// ending is what a call panics with.
func ending(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

// same checks that two panics are of one type and say the same.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if reflect.TypeOf(got) != reflect.TypeOf(want) || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s ends with %T %v, want %T %v", what, got, got, want, want)
	}
}

// TestFaults compares faults with those of compiled Go.
func TestFaults(t *testing.T) {
	expect.NoError(t, Check())
	var zero, index = 0, 7
	var p *int
	var text any = "text"
	short := []int{1, 2, 3}
	for what, c := range map[string]struct{ ours, compiled func(frame unsafe.Pointer) }{
		"a nil pointer": {func(f unsafe.Pointer) { NilPointer(f, 5) }, func(unsafe.Pointer) { *p = 1 }},
		"a division":    {func(f unsafe.Pointer) { DivideByZero(f, 5) }, func(unsafe.Pointer) { index /= zero }},
		"a shift":       {func(f unsafe.Pointer) { NegativeShift(f, 5) }, func(unsafe.Pointer) { index <<= zero - 1 }},
		"an assertion": {func(f unsafe.Pointer) { FailedAssertion(f, 5, "interface {}", "string", "int", "") },
			func(unsafe.Pointer) { index = text.(int) }},
		"an assertion of methods": {func(f unsafe.Pointer) { FailedAssertion(f, 5, "", "string", "error", "Error") },
			func(unsafe.Pointer) { _ = text.(error) }},
		"a conversion": {func(f unsafe.Pointer) { ShortSlice(f, 5, 3, 4) }, func(unsafe.Pointer) { _ = [4]int(short) }},
		"an index": {func(f unsafe.Pointer) { OutOfRange(f, 5, 7, 3, false) },
			func(unsafe.Pointer) { index = short[index] }},
		"a length": {func(f unsafe.Pointer) { Fail(f, 5, "runtime error: makeslice: len out of range") },
			func(unsafe.Pointer) { _ = make([]int, zero-1) }},
	} {
		head := new(run.Head)
		got := ending(func() { c.ours(unsafe.Pointer(head)) })
		same(t, what, got, ending(func() { c.compiled(nil) }))
		if head.Site != 5 {
			t.Errorf("%s is at %d", what, head.Site)
		}
	}
}

// TestBounds compares the checks of slice expressions with compiled Go, for all small indices.
func TestBounds(t *testing.T) {
	three := &Bounds{Three: true, Limit: "capacity"}
	two := &Bounds{Limit: "capacity"}
	text := &Bounds{Limit: "length"}
	head := unsafe.Pointer(new(run.Head))
	s, str := make([]int, 2, 4), "abcd"
	for low := -1; low <= 5; low++ {
		for high := -1; high <= 5; high++ {
			what := fmt.Sprintf("[%d:%d]", low, high)
			same(t, what, ending(func() { two.Check(head, 1, low, high, 4, 4) }), ending(func() { _ = s[low:high] }))
			same(t, "text"+what, ending(func() { text.Check(head, 1, low, high, 4, 4) }),
				ending(func() { _ = str[low:high] }))
			for maximum := -1; maximum <= 5; maximum++ {
				same(t, fmt.Sprintf("[%d:%d:%d]", low, high, maximum),
					ending(func() { three.Check(head, 1, low, high, maximum, 4) }),
					ending(func() { _ = s[low:high:maximum] }))
			}
		}
	}
	made := &Bounds{Made: true, Limit: "capacity"}
	same(t, "make", ending(func() { made.Check(head, 1, 0, 5, 4, 4) }),
		runtimeError("runtime error: makeslice: cap out of range"))
}

// TestMemory: what the machine has not is refused; less is not.
func TestMemory(t *testing.T) {
	head := unsafe.Pointer(new(run.Head))
	if got := ending(func() { Memory(head, 1, LargeMemory-1) }); got != nil {
		t.Error(got)
	}
	const maximum = 1 << 60
	if got := ending(func() { Memory(head, 1, maximum) }); machineMemory() > 0 && got == nil {
		t.Error("more memory than any machine has is not refused")
	}
}
