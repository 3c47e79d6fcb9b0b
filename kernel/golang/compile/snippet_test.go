package compile

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/snippet"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// call calls f of a file on a goroutine of a cell, and passes its results there, or the panic that ended it.
func call(t testing.TB, source string, do func(results []any, failure any)) {
	t.Helper()
	pkg := snippet.Build(t, source)
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
			do(nil, value)
			return
		}
		var results []any
		for v := range f.Signature.Results().Len() {
			at := reflect.NewAt(c.Types.Of(f.Signature.Results().At(v).Type()), unsafe.Add(frame, plan.Results[v]))
			results = append(results, at.Elem().Interface())
		}
		do(results, nil)
	}()
	<-done
}

// outcome calls f of a file and prints its results, or the panic that ended it.
func outcome(t testing.TB, source string) (text string) {
	t.Helper()
	call(t, source, func(results []any, failure any) {
		if failure != nil {
			text = fmt.Sprint("panic: ", failure)
			return
		}
		text = fmt.Sprintln(results...)
		text = text[:len(text)-1]
	})
	return text
}

// TestSnippets runs small functions. What they return is the language's, worked out by hand.
func TestSnippets(t *testing.T) {
	for _, group := range []map[string]string{arithmetic, sequences, control, callings, interfaces} {
		for source, want := range group {
			if got := outcome(t, source); got != want {
				t.Errorf("%s\nreturns %s, want %s", source, got, want)
			}
		}
	}
}

var arithmetic = map[string]string{
	"func f() (a, b int8) { a, b = 127, -128; a++; b--; return }":                                                         "-128 127",
	"func f() (a, b int) { x, y := -7, 2; return x / y, x % y }":                                                          "-3 -1",
	"func f() int { x := 0; return 1 / x }":                                                                               "panic: runtime error: integer divide by zero",
	"func f() (a uint8, b int64) { n := 9; return uint8(1) << n, int64(-8) >> n }":                                        "0 -1",
	"func f() int { n := -1; return 1 << n }":                                                                             "panic: runtime error: negative shift amount",
	"func f() uint16 { x := uint16(0xF0F0); return x &^ 0x0FF0 ^ 1 }":                                                     "61441",
	"func f() (a uint8, b int8) { x := 300; return uint8(x), int8(x) }":                                                   "44 44",
	"func f() int64 { x := -2.9; return int64(x) }":                                                                       "-2",
	"func f() float32 { x := 16777217; return float32(x) }":                                                               "1.6777216e+07",
	"func f() (float64, bool) { z := 0.0; n := z / z; return -1 / z, n == n }":                                            "-Inf false",
	"func f() complex128 { x := complex(1, 2); return x * x }":                                                            "(-3+4i)",
	"func f() (int, float64, string) { a, b := 3, 2.5; return min(a, 2), max(b, 1), min(\"b\", \"a\") }":                  "2 2.5 a",
	"func f() (a, b uint64) { x := uint64(1) << 63; return x / 3, -x }":                                                   "3074457345618258602 9223372036854775808",
	"func f() bool { type p struct{ a int; b string }; return p{1, \"x\"} == p{1, \"x\"} && p{1, \"x\"} != p{1, \"y\"} }": "true",
}

var sequences = map[string]string{
	"func f() ([]int, int) { a := [5]int{1, 2, 3, 4, 5}; s := a[1:3:4]; s[0] = 9; return append(s, 7, 8), a[3] }":            "[9 3 7 8] 4",
	"func f() [5]int { a := [5]int{1, 2, 3, 4, 5}; s := a[1:3]; s = append(s, 7); return a }":                                "[1 2 3 7 5]",
	"func f() (int, []int) { a := []int{1, 2, 3}; return copy(a[1:], a), a }":                                                "2 [1 1 2]",
	"func f() [2]int { a := [2]int{1, 2}; b := a; b[0] = 9; return a }":                                                      "[1 2]",
	"func f() int { a, i := []int{1}, 1; return a[i] }":                                                                      "panic: runtime error: index out of range [1] with length 1",
	"func f() []int { a, i := []int{1}, 2; return a[:i] }":                                                                   "panic: runtime error: slice bounds out of range [:2] with capacity 1",
	"func f() string { s, i := \"abc\", 2; return s[i:1] }":                                                                  "panic: runtime error: slice bounds out of range [2:1]",
	"func f() []int { n := -1; return make([]int, n) }":                                                                      "panic: runtime error: makeslice: len out of range",
	"func f() (out []int) { for i, r := range \"aö\\xffz\" { out = append(out, i, int(r)) }; return }":                       "[0 97 1 246 3 65533 4 122]",
	"func f() (string, []byte, []rune) { r := rune(0x110000); return string(r), []byte(\"ö\"), []rune(\"aö\") }":             "\uFFFD [195 182] [97 246]",
	"func f() (int, bool, int) { m := map[string]int{\"a\": 1}; v, ok := m[\"b\"]; delete(m, \"a\"); return v, ok, len(m) }": "0 false 0",
	"func f() int { var m map[string]int; return m[\"a\"] }":                                                                 "0",
	"func f() int { var m map[string]int; m[\"a\"] = 1; return 0 }":                                                          "panic: assignment to entry in nil map",
	"func f() int { z := 0.0; m := map[float64]int{}; m[z/z] = 1; m[z/z] = 2; n := len(m); clear(m); return n*10 + len(m) }": "20",
	"func f() int { s := 0; for k, v := range map[int]int{1: 10, 2: 20} { s += k * v }; return s }":                          "50",
	"func f() int { m := map[[2]int]struct{ n int }{{1, 2}: {3}}; return m[[2]int{1, 2}].n }":                                "3",
	"func f() []int { s := []int{1, 2, 3}; clear(s[1:]); return s }":                                                         "[1 0 0]",
	"func f() [3]int { s := []int{1, 2, 3}; return [3]int(s) }":                                                              "[1 2 3]",
	"func f() [4]int { s := []int{1, 2, 3}; return [4]int(s) }":                                                              "panic: runtime error: cannot convert slice with length 3 to array or pointer to array with length 4",
}

var control = map[string]string{
	"func f() (s int) { for i := range 5 { if i == 1 { continue }; if i == 4 { break }; s += i }; return }":                                                                                     "5",
	"func f() (n int) { outer: for i := range 3 { for j := range 3 { if j == 2 { continue outer }; if i == 2 { break outer }; n += 10*i + j } }; return }":                                      "22",
	"func f() (s string) { switch x := 2; { case x > 1: s += \"a\"; fallthrough; case x > 5: s += \"b\"; default: s += \"c\" }; return }":                                                       "ab",
	"func f() (n int) { again: n++; if n < 4 { goto again }; return }":                                                                                                                          "4",
	"func f() (s []int) { var fs []func() int; for i := 0; i < 3; i++ { fs = append(fs, func() int { i *= 2; return i }) }; for _, g := range fs { s = append(s, g(), g()) }; return }":         "[0 0 2 4 4 8]",
	"func f() (out []int) { seq := func(yield func(int) bool) { for i := range 9 { if !yield(i * i) { return } } }; for x := range seq { if x > 10 { break }; out = append(out, x) }; return }": "[0 1 4 9]",
	"func f() (n int) { c := make(chan int, 2); c <- 1; c <- 2; close(c); for x := range c { n += x }; _, ok := <-c; if !ok { n += 10 }; return }":                                              "13",
	"func f() (s string) { c := make(chan int); select { case <-c: s = \"got\"; default: s = \"empty\" }; return }":                                                                             "empty",
	"func f() int { c := make(chan int); go func() { c <- 42 }(); return <-c }":                                                                                                                 "42",
	"func f() int { c := make(chan int); close(c); close(c); return 0 }":                                                                                                                        "panic: close of closed channel",
}

var callings = map[string]string{
	"func f() (n int) { defer func() { n *= 2 }(); n = 4; return n + 1 }":                                                                                                     "10",
	"func f() (s string) { defer func() { s = recover().(string) }(); panic(\"lost\") }":                                                                                      "lost",
	"func f() (s []int) { for i := range 3 { defer func() { s = append(s, i) }() }; return nil }":                                                                             "[2 1 0]",
	"func f() (n int) { defer func() { recover(); n += 100 }(); defer func() { n += 10; panic(\"b\") }(); n = 1; panic(\"a\") }":                                              "111",
	"type T struct{ n int }\nfunc (t T) get() int { return t.n }\nfunc (t *T) inc() { t.n++ }\nfunc f() (int, int) { t := T{1}; g := t.get; t.inc(); return g(), t.get() }":   "1 2",
	"type A struct{ n int }\nfunc (a *A) inc() { a.n++ }\ntype B struct{ A }\nfunc f() int { b := B{}; b.inc(); B.get(b); return b.n }\nfunc (B) get() {}":                    "1",
	"func sum(base int, xs ...int) int { for _, x := range xs { base += x }; return base }\nfunc f() (int, int, int) { return sum(1), sum(1, 2, 3), sum(1, []int{4, 5}...) }": "1 6 10",
	"func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfunc f() int { return fib(20) }":                                                              "6765",
	"func two() (int, string) { return 1, \"a\" }\nfunc join(n int, s string) string { return s + string(rune('0'+n)) }\nfunc f() string { return join(two()) }":              "a1",
	"func f() int { var g func() int; return g() }":                              "panic: runtime error: invalid memory address or nil pointer dereference",
	"func f() int { p := func() *int { x := 5; return &x }(); *p++; return *p }": "6",
	"func f() int { var p *struct{ a, b int }; return p.b }":                     "panic: runtime error: invalid memory address or nil pointer dereference",
	"func Map[A, B any](xs []A, g func(A) B) (out []B) { for _, x := range xs { out = append(out, g(x)) }; return }\nfunc f() []string { return Map([]int{1, 2}, func(n int) string { return string(rune('a' + n)) }) }": "[b c]",
	"type N interface{ ~int | ~float64 }\nfunc Sum[T N](xs ...T) (s T) { for _, x := range xs { s += x }; return }\ntype M int\nfunc f() (M, float64) { return Sum[M](1, 2), Sum(.5, .25) }":                             "3 0.75",
}

var interfaces = map[string]string{
	"func kind(x any) string { switch x := x.(type) { case nil: return \"nil\"; case int, int8: return \"int\"; case string: return x; case error: return \"error\" }; return \"?\" }\nfunc f() (a, b, c, d string) { return kind(nil), kind(int8(1)), kind(\"s\"), kind(1.5) }": "nil int s ?",
	"type S interface{ area() int }\ntype Q struct{ a int }\nfunc (q Q) area() int { return q.a * q.a }\ntype R struct{ a, b int }\nfunc (r *R) area() int { return r.a * r.b }\nfunc f() (n int) { for _, s := range []S{Q{2}, &R{3, 5}} { n = n*100 + s.area() }; return }":    "415",
	"func f() (int, bool) { var x any = \"s\"; n, ok := x.(int); return n, ok }":                                  "0 false",
	"func f() int { var x any = \"s\"; return x.(int) }":                                                          "panic: interface conversion: interface {} is string, not int",
	"type S interface{ m() }\nfunc f() int { var s S; s.m(); return 0 }":                                          "panic: runtime error: invalid memory address or nil pointer dereference",
	"func f() bool { var a, b any = []int{1}, []int{1}; return a == b }":                                          "panic: runtime error: comparing uncomparable type []int",
	"type D int\ntype E int\nfunc f() (bool, bool) { var a, b, c any = D(1), E(1), D(1); return a == b, a == c }": "false true",
	"type T struct{}\nfunc f() bool { var p *T; var x any = p; return x == nil }":                                 "false",
}
