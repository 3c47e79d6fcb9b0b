package interp

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/display"
)

// TestLimits runs what would end the kernel or fill a notebook.
func TestLimits(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("fmt"; "sync"; "time")`)
	for _, tt := range []struct{ code, value, out, fail string }{
		{code: "m := map[string]any{}\nm[\"s\"] = m\nm", value: "a value of type map[string]interface {} that contains itself"},
		{code: "list := make([]any, 1)\nlist[0] = []any{1, &list, list}\nlist", value: "a value of type []interface {} that contains itself"},
		{code: "inner := []any{1}\n[]any{inner, inner, map[string]any{\"a\": inner}}", value: "[[1] [1] map[a:[1]]]"},
		{code: "type X struct { X }", fail: either("invalid recursive type X", "invalid recursive type: X refers to itself")},
		{code: "type A struct { B [2]B }\ntype B struct { A A }", fail: "invalid recursive type"},
		{code: "type L struct { Next *L; List []L }\nL{}", value: "{<nil> []}"},
		{code: "type P struct{ A int }\nfunc (p P) String() string { return fmt.Sprint(p) }"},
		{code: "P{1}", value: either("%!v(PANIC=Format method: runtime error: stack overflow: a method String or Error of main.P prints its own value)",
			"%!v(PANIC=String method: stack overflow: a function that compiled code calls, such as a method String, calls itself that way)")},
		{code: "type Pt struct{ X float64 }"},
		{code: "func (p Pt) String() string { return missing() }", fail: "undefined: missing"},
		{code: "Pt{1}", value: "{1}"},
		{code: "func (p Pt) String() string { return \"pt\" }\nPt{1}", value: "pt"},
		{code: "func (p Pt) String() string { return missing() }", fail: "undefined: missing"},
		{code: "fmt.Print([]Pt{{1}})", out: "[pt]"},
	} {
		o := s.run(tt.code)
		if tt.fail != "" {
			if o.failure == nil || !strings.Contains(o.failure.Value, tt.fail) {
				t.Errorf("%s\nerror %v, want %q", tt.code, o.failure, tt.fail)
			}
			continue
		}
		if o.failure != nil || o.value != tt.value || o.out != tt.out {
			t.Errorf("%s\nvalue %q, output %q, error %v; want %q and %q", tt.code, o.value, o.out, o.failure, tt.value, tt.out)
		}
	}
	s.ok("var wg sync.WaitGroup\nwg.Go(func() { panic(2) })\nwg.Wait()\ndone := make(chan bool)\ntime.AfterFunc(1, func() { defer close(done); panic(1) })\n<-done")
	if o := s.run("type Direct struct{}\nfunc (Direct) Go(f func()) { f() }\nDirect{}.Go(func() { panic(3) })"); o.failure == nil || !strings.Contains(o.failure.Value, "3") {
		t.Errorf("a panic on the session's own goroutine: %v", o.failure)
	}
	if o := s.run("make([]int, 1000000)"); len(o.value) > display.LongestText+200 || !strings.Contains(o.value, "... 1900001 more bytes") {
		t.Errorf("a long value is %d bytes: %q", len(o.value), o.value[max(0, len(o.value)-100):])
	}
}

// TestPointerAsInterface gives compiled code pointers whose methods take the value.
func TestPointerAsInterface(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("container/heap"; "fmt")`)
	s.ok("type Heap []int\nfunc (h Heap) Len() int { return len(h) }\nfunc (h Heap) Less(i, j int) bool { return h[i] < h[j] }\nfunc (h Heap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }\n" +
		"func (h *Heap) Push(x any) { *h = append(*h, x.(int)) }\nfunc (h *Heap) Pop() any { old := *h; n := len(old); x := old[n-1]; *h = old[:n-1]; return x }")
	s.ok("type Version struct{ N int }\nfunc (v Version) String() string { return fmt.Sprint(\"v\", v.N) }\ntype Fault struct{}\nfunc (Fault) Error() string { return \"fault\" }\nfunc fail() error { return &Fault{} }\nfunc show(s fmt.Stringer) string { return s.String() }")
	for _, tt := range []struct{ code, value string }{
		{"h := &Heap{3, 1, 2}\nheap.Init(h)\nheap.Push(h, 0)\ntext := \"\"\nfor h.Len() > 0 { text += fmt.Sprint(heap.Pop(h)) }\ntext", "0123"},
		{"var s fmt.Stringer = &Version{3}\ns.String()", "v3"},
		{"_, is := s.(*Version)\nis", "true"},
		{"show(&Version{4})", "v4"},
		{"fail().Error()", "fault"},
		{"type Level int\nLevel(h.Len()) + Level(text[0])", "48"},
	} {
		if o := s.run(tt.code); o.failure != nil || o.value != tt.value {
			t.Errorf("%s\nvalue %q, error %v; want %q", tt.code, o.value, o.failure, tt.value)
		}
	}
	if o := s.run("var none *Version\nshow(none)"); o.failure == nil || !strings.Contains(o.failure.Value, either("nil pointer", "value method main.Version.String called using nil *Version pointer")) {
		t.Errorf("a nil pointer: %q, %v", o.value, o.failure)
	}
}
