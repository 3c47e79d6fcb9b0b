package cell_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestReplacedDeclarations: code keeps what it was written with, also after many cells have declared the names again
// and the collector has run.
func TestReplacedDeclarations(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for i, code := range []string{
		"x, kept := 1, func() int { return 0 }", "func f() int { x++; return x }", "kept = func() int { return x + 100 }",
		"func helper() int { return 7 }", "func late() int { return helper() + x }",
		"ask, answer := make(chan bool), make(chan int)", "go func() { <-ask; answer <- helper() + x*10 }()",
	} {
		if _, err := s.Run(fmt.Sprint("cell ", i), code, run.NewExecution(nil)); err != nil {
			t.Fatalf("%s\n%v", code, err)
		}
	}
	for i := range 100 {
		run1(t, s, fmt.Sprintf("x := \"%d\"\n_ = x", i))
		run1(t, s, fmt.Sprintf("func helper() string { return \"%d\" }", i))
		if got, want := run1(t, s, "helper() + x"), fmt.Sprintf("[%d%d]", i, i); got != want {
			t.Fatalf("%d: helper() + x is %s, want %s", i, got, want)
		}
		if i%25 == 0 {
			runtime.GC()
			runtime.GC()
		}
	}
	for _, c := range [][2]string{{"f()", "[2]"}, {"kept()", "[102]"}, {"late()", "[9]"},
		{"ask <- true\n<-answer", "[27]"}, {"helper() + x", "[9999]"}} {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s is %s, want %s", c[0], got, c[1])
		}
	}
}

// TestReplacedWithGenerics: an instance that a later cell makes uses what the generic function was written with.
func TestReplacedWithGenerics(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	run1(t, s, "func twice(n int) int { return 2 * n }")
	run1(t, s, "func count[T any](list []T) int { return twice(len(list)) }")
	for range 50 {
		run1(t, s, "func twice(n int) int { return -n }")
		run1(t, s, "1 + 1")
	}
	if got := run1(t, s, "count([]string{\"a\"})"); got != "[2]" {
		t.Errorf("count is %s, want [2]", got)
	}
}

// TestImportBesideGoroutines imports packages while a goroutine looks methods up for the first time.
func TestImportBesideGoroutines(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	code := "type Base struct{}\nfunc (Base) M() int { return 1 }\ntype M interface{ M() int }\nvar list []any\n" +
		"begin, sum := make(chan bool), make(chan int)\n"
	const types = 200
	for i := range types {
		code += fmt.Sprintf("type T%d struct{ Base }\nlist = append(list, T%[1]d{})\n", i)
	}
	run1(t, s, code+"go func() { <-begin; n := 0; for _, v := range list { n += v.(M).M() }; sum <- n }()")
	run1(t, s, "begin <- true")
	for _, path := range []string{"bytes", "bufio", "sort", "os", "regexp", "time", "encoding/json", "net/http", "math/big"} {
		run1(t, s, fmt.Sprintf("import %q", path))
	}
	if got := run1(t, s, "<-sum"); got != fmt.Sprintf("[%d]", types) {
		t.Errorf("the sum is %s", got)
	}
}

// TestShadowedPackages: a parameter or variable that has the name of a package is not the package.
func TestShadowedPackages(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	run1(t, s, "import lab \"github.com/spherelab/spherelab/experiments/lab/session\"")
	for _, c := range [][2]string{
		{"type P struct{}\nfunc (P) Graph(n int) int { return n }\nP{}.Graph(3)", "[3]"},
		{"func g(lab P) int { return lab.Graph(4) }\ng(P{})", "[4]"},
		{"func() int { lab := P{}; return lab.Graph(5) }()", "[5]"},
	} {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s is %s, want %s", c[0], got, c[1])
		}
	}
}
