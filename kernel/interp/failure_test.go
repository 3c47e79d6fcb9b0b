package interp

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel"
)

// TestFailures: the last cell fails; the error names kind, message, line and source, and the session continues.
func TestFailures(t *testing.T) {
	tests := []struct {
		name  string
		cells []string
		kind  string
		want  []string // parts of the traceback, in order
	}{
		{"undefined", []string{"x := 1\nfoo(x)"}, kernel.NameCompile, []string{"undefined: foo", "cell [1]:2", "foo(x)"}},
		{"syntax", []string{"x := 1\n\nif x {"}, kernel.NameCompile, []string{"expected", "cell [1]:3"}},
		{"type", []string{"var x int = \"a\""}, kernel.NameCompile, []string{"cell [1]:1"}},
		{"generic function", []string{"\nfunc F[T ~int](x T) T { return x }\nF(\"a\")"}, kernel.NameCompile, []string{either("no generics", "string does not satisfy ~int"), either("cell [1]:2", "cell [1]:3")}},
		{"generic type", []string{"type L[T any] struct { v T }\nL{}"}, kernel.NameCompile, []string{either("no generics", "cannot use generic type L[T any] without instantiation")}},
		{"range over func", []string{"func it(yield func(int) bool) {}", "for x, y := range it { _, _ = x, y }"}, kernel.NameCompile, []string{either("range over functions", "permits only one iteration variable"), "cell [2]:1"}},
		{"unknown import", []string{`import "github.com/a/b"`}, kernel.NameCompile, []string{`"github.com/a/b" is not linked`, "example.com/lab", "docs/kernel.md", "cell [1]:1"}},
		{"unknown standard package", []string{"import (\n\t\"fmt\"\n\t\"nothing/rand\"\n)"}, kernel.NameCompile, []string{`"nothing/rand"`, "did you mean", "math/rand", "cell [1]:3"}},
		{"folder import", []string{`import "./mine"`}, kernel.NameCompile, []string{"cannot import a folder"}},
		{"unknown name of a package", []string{`import "strings"`, `strings.Nope("a")`}, kernel.NameCompile, []string{either("strings has no Nope", "undefined: strings.Nope")}},
		{"index", []string{"func g(a []int, i int) int {\n\treturn a[i]\n}\nfunc h(i int) int {\n\ty := g([]int{1}, i)\n\treturn y\n}", "z := 1\nh(7)"}, kernel.NamePanic,
			[]string{"index out of range", "cell [1]:2 in g", "return a[i]", "cell [1]:5 in h", "y := g(", "cell [2]:2", "h(7)"}},
		{"nil map", []string{"var m map[string]int\nm[\"a\"] = 1"}, kernel.NamePanic, []string{"nil map", "cell [1]:2"}},
		{"nil pointer", []string{"type T struct{ X int }\nvar p *T\n_ = 1\np.X"}, kernel.NamePanic, []string{"nil pointer", "cell [1]:4"}},
		{"division", []string{"a, b := 1, 0\na / b"}, kernel.NamePanic, []string{"divide by zero", "cell [1]:2"}},
		{"panic", []string{`panic("plain")`}, kernel.NamePanic, []string{"plain", "cell [1]:1"}},
		{"panic with own error", []string{cellTypes, "func f() { panic(V{9}) }\nf()"}, kernel.NamePanic, []string{"code 9", "cell [2]:1 in f", "cell [2]:2"}},
		{"compiled panic", []string{`lab.Explode()`}, kernel.NamePanic, []string{"compiled panic", "cell [1]:1"}},
		{"panic below defer", []string{"func f() {\n\tdefer func() {}()\n\tvar m map[int]int\n\tm[1] = 1\n}\nfunc g() { f() }", "g()"}, kernel.NamePanic, []string{"nil map", "in g", "cell [2]:1"}},
		{"in a loop", []string{"for i := 0; i < 3; i++ {\n\tif i == 1 {\n\t\tpanic(\"loop\")\n\t}\n}"}, kernel.NamePanic, []string{"loop", "cell [1]:3"}},
		{"in a callback", []string{"import \"sort\"\ns := []int{2, 1}\nsort.Slice(s, func(i, j int) bool {\n\tpanic(\"cb\")\n})"}, kernel.NamePanic, []string{"cb", "cell [1]:4 in func literal", "cell [1]:3"}},
		{"in a method", []string{"type T struct{}\nfunc (t *T) M() { panic(\"m\") }\n(&T{}).M()"}, kernel.NamePanic, []string{"m", "in (*T).M", "cell [1]:3"}},
		{"deep recursion", []string{"func r(n int) int { return r(n+1) + 1 }\nr(0)"}, kernel.NamePanic, []string{"stack overflow", "cell [1]:1 in r", "more calls", "cell [1]:2"}},
		{"exit", []string{"import \"os\"\nos.Exit(3)"}, kernel.NameExit, []string{"exit status 3", "cell [1]:2"}},
		{"log.Fatal", []string{"import \"log\"\nlog.Fatal(\"f\")"}, kernel.NameExit, []string{"exit status 1"}},
		{"goexit", []string{"import \"runtime\"\nruntime.Goexit()"}, kernel.NamePanic, []string{"Goexit"}},
		{"deferred panic", []string{"defer func() { panic(\"late\") }()"}, kernel.NamePanic, []string{"late"}},
		{"returned error", []string{`import "strconv"`, "x := 1\nstrconv.Atoi(\"q\")"}, kernel.NameError, []string{`strconv.Atoi: parsing "q": invalid syntax`, "cell [2]:2", "strconv.Atoi"}},
		{"returned error of a cell's type", []string{cellTypes, "func g() (int, error) { return 1, fail(0) }\ng()"}, kernel.NameError, []string{"code 3", "cell [2]:2"}},
		{"error that is its message", []string{"lab.Ask(1)"}, "LabError", []string{"lab: nobody is there"}},
		{"panic that is its message", []string{"x := 1\nlab.Must()"}, "LabError", []string{"start it first"}},
		{"error that names itself", []string{"x := 1\nlab.Named()"}, "LabError", []string{"LabError: traced", "cell [1]:2", "lab.Named()"}},
		{"panic of a magic", []string{"%%echo named"}, "LabError", []string{"LabError: traced"}},
		{"magic's own message", []string{"%%echo own"}, "LabError", []string{"only this"}},
		{"package not imported", []string{"x := 1\nurl.Parse(\"a\")"}, kernel.NameCompile, []string{`import "net/url"`, "cell [1]:2"}},
		{"type as value", []string{"type T struct{}", "T"}, kernel.NameCompile, []string{either("T is a type, not a value", "T (type) is not an expression")}},
		{"String panics", []string{"type T struct{}\nfunc (T) String() string { panic(\"str\") }\nT{}"}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if raceDetector && tt.name == "deep recursion" {
				t.Skip("the depth is not watched under the race detector")
			}
			s := start(t, lab())
			s.ok("before := 41")
			s.cells = 0
			n := len(tt.cells)
			for _, cell := range tt.cells[:n-1] {
				s.ok(cell)
			}
			o := s.run(tt.cells[n-1])
			if tt.kind == "" { // package fmt shows such a panic in the text
				if o.failure != nil {
					t.Errorf("failed: %v", o.failure)
				}
			} else if o.failure == nil || o.failure.Name != tt.kind {
				t.Fatalf("error %v, want %s", o.failure, tt.kind)
			} else {
				rest := strings.Join(o.failure.Traceback, "\n")
				if tt.kind == "LabError" && !strings.Contains(rest, "traced") && rest != o.failure.Value {
					t.Errorf("more than the message: %s", rest)
				}
				for _, part := range tt.want {
					i := strings.Index(rest, part)
					if i < 0 {
						t.Fatalf("no %q in its place in\n%s", part, strings.Join(o.failure.Traceback, "\n"))
					}
					rest = rest[i+len(part):]
				}
			}
			if o := s.ok("before + 1"); o.value != "42" {
				t.Errorf("after the error before + 1 is %s", o.value)
			}
		})
	}
}

// TestFailedCellChangesNothing: what a cell that does not compile declares is not declared, what a panic skipped is not either.
func TestFailedCellChangesNothing(t *testing.T) {
	s := start(t, Options{})
	s.ok("x := 5\ntype T struct{ A int }")
	if o := s.run("x := \"text\"\ntype T struct{ B int }\ny := 1\nnothing()"); o.failure == nil {
		t.Fatal("no error")
	}
	if o := s.ok("x + T{A: 2}.A"); o.value != "7" {
		t.Errorf("x + A = %s", o.value)
	}
	if o := s.run("y"); o.failure == nil {
		t.Error("y is declared")
	}
	s.ok("func (t T) M() int { return t.A }")
	if o := s.run("func (t T) M() string { return \"\" }\nnothing()"); o.failure == nil {
		t.Fatal("no error")
	}
	if o := s.ok("T{A: 4}.M() + 1"); o.value != "5" {
		t.Errorf("the method that failed to compile counts: %s", o.value)
	}
	if o := s.run("panic(1)\nx := []int{1}\nz := \"late\""); o.failure == nil {
		t.Fatal("no panic")
	}
	if o := s.run("z"); o.failure == nil {
		t.Error("z is declared though it was not reached")
	}
	if o := s.ok("x + 1"); o.value != "6" {
		t.Errorf("x + 1 = %s", o.value)
	}
}

// TestGoroutinePanic: it is reported and ends only the goroutine.
func TestGoroutinePanic(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import "time"`)
	o := s.ok("func boom(m map[string]int) {\n\tm[\"x\"] = 1\n}\ngo boom(nil)\ngo func() { panic(\"second\") }()\ngo panic(\"third\")\ntime.Sleep(100 * time.Millisecond)")
	for _, part := range []string{"panic in a goroutine", "nil map", "cell [2]:2 in boom", "second", "third"} {
		if !strings.Contains(o.err, part) {
			t.Errorf("no %q in %s", part, o.err)
		}
	}
	if n := strings.Count(o.err, "panic in a goroutine"); n != 3 {
		t.Errorf("%d reports, want 3: %s", n, o.err)
	}
	o = s.run("var f func()\ngo f()\ntime.Sleep(100 * time.Millisecond)")
	if onNext && (o.failure == nil || !strings.Contains(o.failure.Value, "nil pointer")) || !onNext && !strings.Contains(o.err, "panic in a goroutine") {
		t.Errorf("go of a nil function: %v, %s", o.failure, o.err)
	}
	if o := s.ok("1+1"); o.value != "2" {
		t.Error("the session is gone")
	}
}

// TestMessages: a cell that does not compile says what a Go user can act on.
func TestMessages(t *testing.T) {
	s := start(t, lab())
	s.ok("type Point struct { X int }\nfunc (p Point) Norm() int { return p.X }\nfunc make1() Point { return Point{} }\npoint := Point{}\nm := map[string]Point{}\nnumber := 5")
	for _, tt := range []struct{ code, want string }{
		{"point.Nrom()", either("point.Nrom undefined: type Point has no field or method Nrom; did you mean Norm?", "point.Nrom undefined (type Point has no field or method Nrom); did you mean Norm?")},
		{"(&point).Y", either("(&point).Y undefined: type Point has no field or method Y", "(&point).Y undefined (type *Point has no field or method Y)")},
		{"make1().Nope()", either("make1().Nope undefined: type Point has no field or method Nope", "make1().Nope undefined (type Point has no field or method Nope)")},
		{"missing().Bar()", "undefined: missing"},
		{"func f(q Point) { q.Zed() }", either("q has no field or method Zed", "q.Zed undefined (type Point has no field or method Zed)")},
		{"gen[int](3)", "undefined: gen"},
		{"make1[int](3)", either("the interpreter has no generics: make1[int]", "cannot index make1 (value of type func() Point)")},
		{"var p = Pair[int, string]{1, \"a\"}", either("the interpreter has no generics", "undefined: Pair")},
		{"type I interface { ~int | ~string }\nvar i I", either("the interpreter has no generics", "cannot use type I outside a type constraint: interface contains type constraints")},
		{"type I interface { int | string }\nvar i I", either("the interpreter has no generics", "cannot use type I outside a type constraint")},
		{"number = \"str\"", either(`cannot convert "str" to int`, `cannot use "str" (untyped string constant) as int value in assignment`)},
		{"m[\"a\"].X = 5", either(`cannot assign to m["a"].X: cannot take the address of a map element: m["a"]`, `cannot assign to struct field m["a"].X in map`)},
		{"goto end", either("cannot jump to label end", "label end not declared")},
		{"numebr", "undefined: numebr; did you mean number?"},
		{"pritnln(1)", "did you mean println?"},
		{"rand.Intn(3)", `there are several: "crypto/rand" or "math/rand"`},
		{"url.Parse(\"a\")", `undefined: url; the package of that name is not imported: import "net/url"`},
		{"var a any = 1\nfor range a {}", either("assert its type first", "cannot range over a (variable of interface type any)")},
		{"1 + \"a\"", either("operation + between a string and a number", `invalid operation: 1 + "a" (mismatched types untyped int and untyped string)`)},
		{"x, y := 1", either("expression returns 1 value, expecting 2", "assignment mismatch: 2 variables but 1 value")},
		{"T{}", "undefined: T"},
		{"Point{Y: 1}", "Y"},
		{"Point", either("Point is a type, not a value", "Point (type) is not an expression")},
		{"if true {\n\tx := := 3\n}", "expected operand, found ':='"},
	} {
		o := s.run(tt.code)
		if o.failure == nil || o.failure.Name != kernel.NameCompile || !strings.Contains(o.failure.Value, tt.want) || strings.Contains(o.failure.Value, "·") || strings.Contains(o.failure.Value, "ast.") {
			t.Errorf("%s\n%v, want %s", tt.code, o.failure, tt.want)
		}
	}
}
