package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// endlessCalls call themselves through compiled code.
var endlessCalls = map[string]string{
	"MarshalJSON": "type J struct{ X int }\nfunc (j J) MarshalJSON() ([]byte, error) { return json.Marshal(j) }\n" +
		"json.Marshal(J{1})",
	"MarshalJSON by pointer, with a deferred call": "type K struct{ X int }\n" +
		"func (k *K) MarshalJSON() ([]byte, error) { defer func() { depth-- }(); depth++; return json.Marshal([]any{k}) }\n" +
		"json.Marshal(&K{1})",
	"sort.Slice": "func again() { sort.Slice([]int{2, 1}, func(i, j int) bool { again(); return true }) }\nagain()",
	"UnmarshalJSON": "type U struct{ X int }\nfunc (u *U) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, u) }\n" +
		"json.Unmarshal([]byte(\"{}\"), &U{})",
	"Error": "type E struct{ X int }\nfunc (e E) Error() string { return fmt.Sprintf(\"%v\", e) }\nE{1}.Error()",
	"Is": "type I struct{ X int }\nfunc (I) Error() string { return \"\" }\n" +
		"func (i I) Is(t error) bool { return errors.Is(i, t) }\nerrors.Is(I{1}, io.EOF)",
	"String": "type S struct{ X int }\nfunc (s S) String() string { return fmt.Sprint(s) }\nfmt.Println(S{1})",
	"String by compiled fmt": "type S2 struct{ X int }\n" +
		"func (s S2) String() string { var w fmt.Stringer = s; return strings.Repeat(fmt.Sprintf(\"%v\", []fmt.Stringer{w}), 1) }\nS2{1}.String()",
	"strings.Map":           "func m(r rune) rune { return rune(len(strings.Map(m, \"a\"))) }\nstrings.Map(m, \"a\")",
	"a goroutine":           "func deep() { sort.Slice([]int{2, 1}, func(i, j int) bool { deep(); return true }) }\nvar wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); deep() }()\nwg.Wait()\npanic(\"stack overflow as reported\")",
	"sort.Interface":        "type L []int\nfunc (l L) Len() int { return 2 }\nfunc (l L) Swap(i, j int) {}\nfunc (l L) Less(i, j int) bool { sort.Sort(l); return true }\nsort.Sort(L{})",
	"a value that is shown": "type V struct{ X int }\nfunc (v V) String() string { return fmt.Sprint(v) }\nV{1}",
}

// TestEndlessCalls: calls without an end through compiled code end as those within cells do.
func TestEndlessCalls(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"encoding/json\"; \"errors\"; \"fmt\"; \"io\"; \"sort\"; \"strings\"; \"sync\")\ndepth := 0")
	for name, code := range endlessCalls {
		o := s.run(code)
		t.Log(name, o.took)
		if o.failure == nil || !strings.Contains(o.failure.Value, "stack overflow") || o.took > 20*time.Second {
			t.Errorf("%s ended with %v after %v; %.200q", name, o.failure, o.took, o.value)
			continue
		}
		if n := len(o.failure.Traceback); n > 60 {
			t.Errorf("%s: %d lines of calls", name, n)
		}
	}
	if o := s.ok("depth"); o.value != "0" {
		t.Errorf("%s deferred calls did not run", o.value)
	}
}

// TestDeepCalls: calls through compiled code may be many.
func TestDeepCalls(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import \"sort\"")
	o := s.ok("func deep(n int) int {\n\tif n == 0 { return 0 }\n\tm := 0\n" +
		"\tsort.Slice([]int{2, 1}, func(i, j int) bool { m = deep(n-1); return false })\n\treturn m + 1\n}\ndeep(5000)")
	if o.value != "5000" {
		t.Errorf("%s", o.value)
	}
}

// TestForeignPanic: a panic of a method that a goroutine of compiled code calls ends the cell.
func TestForeignPanic(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"bytes\"; \"context\"; \"fmt\"; \"io\"; \"net/http\"; \"net/http/httptest\"; \"os\"; \"os/exec\"; \"time\")\n" +
		"kept := 1\ntype W struct{ f func() }\nfunc (w W) Write(b []byte) (int, error) { w.f(); return len(b), nil }\n" +
		"func (w W) Read(b []byte) (int, error) { w.f(); return 0, io.EOF }\nvar none map[string]int\n" +
		"server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))")
	for _, c := range []struct{ code, want string }{
		{"c := exec.Command(\"echo\", \"x\")\nc.Stdout = W{func() { panic(\"writer\") }}\nc.Run()", "writer"},
		{"c := exec.Command(\"cat\")\nc.Stdin = W{func() { none[\"x\"] = 1 }}\nc.Run()", "assignment to entry in nil map"},
		{"http.Post(server.URL, \"text/plain\", W{func() { panic(fmt.Errorf(\"body %d\", 7)) }})", "body 7"},
		{"c := exec.CommandContext(ctx, \"sleep\", \"60\")\nc.Stdin = W{func() { panic(5) }}\nc.Run()", "5"},
		{"c := exec.Command(\"echo\", \"x\")\nc.Stdout = W{func() { os.Exit(3) }}\nc.Run()", "exit status 3"},
	} {
		o := s.run(c.code)
		if o.failure == nil || !strings.Contains(o.failure.Value, c.want) || o.took > 5*time.Second {
			t.Errorf("%s: ended with %v after %v", c.code, o.failure, o.took)
			continue
		}
		if !strings.Contains(strings.Join(o.failure.Traceback, "\n"), "cell [") {
			t.Errorf("%s: no place: %v", c.code, o.failure.Traceback)
		}
	}
	// what compiled code recovers does not end the cell, as in Go
	o := s.ok("bad := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(\"handler\") }))\n" +
		"_, err := http.Get(bad.URL)\nerr != nil")
	if o.value != "true" || !strings.Contains(o.err, "handler") {
		t.Errorf("a panic in a handler: %q, %q", o.value, o.err)
	}
	if o := s.ok("kept"); o.value != "1" {
		t.Errorf("the session has %s", o.value)
	}
	// an interrupt ends it at once, too
	o, late := s.interruptAfter("c := exec.Command(\"echo\", \"x\")\nc.Stdout = W{func() { for { } }}\nc.Run()",
		100*time.Millisecond, true)
	if o.failure == nil || o.failure.Name != "Interrupted" || late > 5*time.Second || strings.Contains(o.err, "again") {
		t.Errorf("interrupted: %v after %v, %q", o.failure, late, o.err)
	}
}
