package cell_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestMethodsChanged: a later cell's method takes the place of one that a type has from a type that it embeds, with the
// same signature or another one, or makes two of them ambiguous.
func TestMethodsChanged(t *testing.T) {
	t.Parallel()
	for name, cells := range map[string][][2]string{
		"signature": {
			{`import ("fmt"; "reflect")
type Deep struct{ N int }
func (Deep) M() int { return 7 }
type Inner struct{ Deep }
type Outer struct{ *Inner }
o := Outer{&Inner{}}
var compiled interface{ M() int } = o
func called(f func()) (text string) { defer func() { text = fmt.Sprint(recover()) }(); f(); return }
fmt.Sprint(reflect.TypeOf(o).NumMethod(), o.M())`, "[1 7]"},
			{`func (Inner) M() string { return "inner string result" }
fmt.Sprint(reflect.TypeOf(o).Method(0).Type, reflect.ValueOf(o).MethodByName("M").Call(nil)[0], o.M())`,
				"[func(main.Outer) string inner string resultinner string result]"},
			{"called(func() { compiled.M() })",
				"[method M of main.Outer has another signature now: a later cell declared one of this name]"},
		},
		"held by compiled code": {
			{`import ("fmt"; "bytes"; "text/tabwriter")
type Deep struct{ N int }
func (Deep) Write(b []byte) (int, error) { return len(b), nil }
type Outer struct{ Deep }
w := tabwriter.NewWriter(Outer{}, 0, 0, 0, ' ', 0)
_ = bytes.NewReader
func called(f func()) (text string) { defer func() { text = fmt.Sprint(recover()) }(); f(); return }
w.Flush() == nil`, "[true]"},
			{`func (Outer) Write([9]int) [4]int { return [4]int{} }
called(func() { fmt.Fprint(w, "x\n"); if err := w.Flush(); err != nil { panic(err) } })`,
				"[tabwriter: panic during Write (method Write of main.Outer has another signature now: " +
					"a later cell declared one of this name)]"},
		},
		"same signature": {
			{`import ("fmt"; "reflect")
type Deep struct{}
func (Deep) String() string { return "deep" }
type Inner struct{ Deep }
type Outer struct{ Inner }
fmt.Sprint([]any{Outer{}, &Outer{}}, reflect.ValueOf(Outer{}).Method(0).Call(nil)[0])`, "[[deep deep] deep]"},
			{`func (Inner) String() string { return "inner" }
fmt.Sprint([]any{Outer{}, &Outer{}}, reflect.ValueOf(Outer{}).Method(0).Call(nil)[0])`, "[[inner inner] inner]"},
		},
		"ambiguous": {
			{`import ("fmt"; "reflect")
type A struct{}
type B struct{}
func (A) M() int { return 1 }
type O struct { A; B }
fmt.Sprint(reflect.TypeOf(O{}).NumMethod())`, "[1]"},
			{`func (B) M() int { return 2 }
_, ok := any(O{}).(interface{ M() int })
fmt.Sprint(reflect.TypeOf(O{}).NumMethod(), reflect.TypeOf(&O{}).NumMethod(), ok)`, "[0 0 false]"},
			{"func (O) M() string { return \"own\" }\nfmt.Sprint(reflect.ValueOf(O{}).Method(0).Call(nil)[0])", "[own]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			for _, c := range cells {
				if got := run1(t, s, c[0]); got != c[1] {
					t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
				}
			}
		})
	}
}

// TestMethodsOutlive: what keeps a value longer than its session gets an error from its methods, a text, or a panic in
// words.
func TestMethodsOutlive(t *testing.T) {
	var fault error
	var both any
	var held weak.Pointer[cell.Session]
	func() {
		s := newSession(t)
		held = weak.Make(s)
		values := func(code string) any {
			list, err := s.Run("cell[0]", code, run.NewExecution(nil))
			expect.NoError(t, err)
			return list[0]
		}
		fault = values("type E struct{ A int }\nfunc (E) Error() string { return \"e\" }\nE{1}").(error)
		both = values("type W struct{ A int }\nfunc (W) Write(b []byte) (int, error) { return 1, nil }\n" +
			"func (W) Len() int { return 1 }\nW{1}")
	}()
	for end := time.Now().Add(time.Minute); held.Value() != nil; runtime.GC() {
		if time.Now().After(end) {
			t.Fatal("something keeps the session")
		}
		time.Sleep(time.Millisecond)
	}
	if got := fault.Error(); got != "the session of this main.E has ended: its method Error cannot be called" {
		t.Error(got)
	}
	if _, err := both.(interface{ Write([]byte) (int, error) }).Write(nil); err == nil ||
		!strings.Contains(err.Error(), "main.W has ended: its method Write") {
		t.Error(err)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "its method Len cannot be called") {
			t.Error(got)
		}
	}()
	both.(interface{ Len() int }).Len()
}

// TestStructPath: a struct without fields that are not exported has no package, as in compiled Go.
func TestStructPath(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	const code = `import ("fmt"; "reflect"; "sync")
type T struct{ A int }
type Once sync.Once
var x T
reflect.ValueOf(&x).Elem().Set(reflect.ValueOf(struct{ A int }{5}))
o := reflect.TypeOf(Once{})
fmt.Sprint(x.A, o.Field(0).PkgPath, o.ConvertibleTo(reflect.TypeOf(sync.Once{})))`
	if got := run1(t, s, code); got != "[5synctrue]" {
		t.Error(got)
	}
}

// TestMethodsUnseen: the error names the reason why compiled code cannot see a method.
func TestMethodsUnseen(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	run1(t, s, "import (\"fmt\"; \"go/ast\"; \"reflect\")\ntype N struct{ ast.Expr }")
	_, err := s.Run("cell[1]", "var e ast.Expr = N{&ast.Ident{}}\ne.Pos()", run.NewExecution(nil))
	if err == nil || !strings.Contains(err.Error(), "values of main.N cannot be a ast.Expr of compiled code: "+
		"its method exprNode is not exported") {
		t.Error(err)
	}
	for n, want := range map[int]string{127: "[1]", 128: "[0]"} { // reflection counts the receiver, too
		code := fmt.Sprintf("type T%d struct{}\nfunc (T%[1]d) M(int%s) {}\nreflect.TypeOf(T%[1]d{}).NumMethod()", n,
			strings.Repeat(", int", n-1))
		if got := run1(t, s, code); got != want {
			t.Errorf("%d parameters: %s methods, want %s", n, got, want)
		}
	}
}
