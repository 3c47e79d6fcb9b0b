package interp

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/cosmos72/gomacro/imports"

	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
)

// lab is a package as it is linked into a kernel: functions that take contexts and callbacks.
func lab() Options {
	return Options{
		Bindings: imports.PackageMap{"example.com/lab": imports.Package{
			Name: "lab",
			Binds: map[string]reflect.Value{
				"Train":    reflect.ValueOf(labTrain),
				"Inc":      reflect.ValueOf(func(x int) int { return x + 1 }),
				"Explode":  reflect.ValueOf(func() { panic("compiled panic") }),
				"NewModel": reflect.ValueOf(func(n int) *labModel { return &labModel{Size: n} }),
				"Table":    reflect.ValueOf(func() labTable { return labTable{} }),
				"Ask":      reflect.ValueOf(func(n int) (int, error) { return n, fmt.Errorf("lab: %w", labError{"nobody is there"}) }),
				"Must":     reflect.ValueOf(func() { panic(labError{"start it first"}) }),
				"Named":    reflect.ValueOf(func() (int, error) { return 0, labError{"traced"} }),
			},
			Types: map[string]reflect.Type{"Model": reflect.TypeFor[labModel](), "Table": reflect.TypeFor[labTable]()},
		}},
		Prelude: []Import{{Path: "example.com/lab"}},
		Magics: map[string]command.Magic{
			"echo": func(ctx context.Context, args, body string) (display.Data, bool, error) {
				switch args {
				case "fail":
					return display.Data{}, false, errors.New("the magic failed")
				case "named":
					return display.Data{}, false, labError{"traced"}
				case "own":
					return display.Data{}, false, labError{"only this"}
				}
				return display.HTML(args + "|" + body), true, nil
			},
			"wait": func(ctx context.Context, args, body string) (display.Data, bool, error) {
				<-ctx.Done()
				return display.Data{}, false, ctx.Err()
			},
		},
		Doc: func(pkg, name string) string {
			return map[string]string{"example.com/lab.": "Package lab is an example.", "example.com/lab.Train": "Train calls step until ctx ends.",
				reflect.TypeFor[labModel]().PkgPath() + ".labModel.Fit": "Fit fits.",
				"example.com/lab.Inc": "func Inc(x int) int\n\nInc adds 1."}[pkg+"."+name]
		},
		Render: func(v interface{}) (display.Data, bool) {
			if _, ok := v.(labTable); ok {
				return display.HTML("<table></table>"), true
			}
			return display.Data{}, false
		},
	}
}

type labTable struct{}

// labError is an error that says how a cell shows it.
type labError struct{ text string }

func (e labError) Error() string             { return e.text }
func (e labError) CellError() (string, bool) { return "LabError", e.text == "traced" }

type labModel struct {
	Size int
	note string
}

func (m *labModel) Fit(steps int) error { m.Size += steps; m.note = "fitted"; return nil }

func labTrain(ctx context.Context, step func(i int)) error {
	for i := 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if step != nil {
			step(i)
		}
	}
}

// TestLanguage runs cells of one session each; want is the text of the last value, out what was printed.
func TestLanguage(t *testing.T) {
	tests := []struct {
		name  string
		cells []string // all but the last only have to succeed
		want  string
		out   string
	}{
		{"expression", []string{`1+1`}, "2", ""},
		{"state", []string{`x := 5`, `x++`, `x * 2`}, "12", ""},
		{"redeclared with another type", []string{`x := 5`, `x := "a"`, `x + "b"`}, "ab", ""},
		{"no value", []string{`x := 5`}, "", ""},
		{"nil", []string{`nil`}, "", ""},
		{"nil error", []string{`var err error`, `err`}, "", ""},
		{"several results", []string{`func f() (int, string) { return 1, "a" }`, `f()`}, "1 a", ""},
		{"trailing nil error", []string{`import "strconv"`, `strconv.Atoi("5")`}, "5", ""},
		{"errors that are not the last result", []string{`import "strconv"`, `n, err := strconv.Atoi("q")`, "strconv.Atoi(\"q\")\nn"}, "0", ""},
		{"an error as value", []string{`import "errors"`, `errors.New("x")`}, "x", ""},
		{"type assertion", []string{`var x interface{} = 5`, `x.(int)`}, "5", ""},
		{"map element", []string{`m := map[string]int{"a": 1}`, `(m["a"])`}, "1", ""},
		{"receive", []string{"c := make(chan int, 1)\nc <- 3\n<-c"}, "3", ""},
		{"printing has no value", []string{`import "fmt"`, `fmt.Println("a")`}, "", "a\n"},
		{"no import needed twice", []string{"import \"fmt\"\nfmt.Print(1)", "import \"fmt\"\nfmt.Print(2)"}, "", "2"},
		{"import alias", []string{`import s "strings"`, `s.ToUpper("a")`}, "A", ""},
		{"dot import", []string{`import . "strings"`, `ToUpper("a")`}, "A", ""},
		{"literals", []string{`1_000 + 0b11 + 0o7 + 0x1p4`}, "1026", ""},
		{"out of order", []string{"func a() int { return b() }\nfunc b() int { return 7 }\na()"}, "7", ""},

		{"methods out of order", []string{"func use() int { return A{1}.F() }\ntype A struct { n int }\nfunc (a A) F() int { return a.G() + help(a.n) }\nfunc (a *A) G() int { return a.n + limit }\nfunc help(n int) int { return n }\nconst limit = 10\nuse()"}, "12", ""},
		{"constructor before methods", []string{"func NewS() *S { s := &S{}; s.push(1); return s }\ntype S struct { items []int }\nfunc (s *S) push(i int) { s.items = append(s.items, i) }\nNewS().items"}, "[1]", ""},
		{"methods that call each other", []string{"type A struct{}\nfunc (a *A) Even(n int) bool { if n == 0 { return true }; return a.Odd(n-1) }\nfunc (a *A) Odd(n int) bool { if n == 0 { return false }; return a.Even(n-1) }\n(&A{}).Even(10)"}, "true", ""},
		{"methods in several cells", []string{"type Base struct{}\nfunc (Base) X() int { return 1 }\nfunc (Base) Y() int { return 2 }\nfunc (Base) Z() int { return 3 }\ntype D struct { Base }\nfunc (D) A() int { return 10 }",
			"func (D) B() int { return 20 }", "func (d D) C() int { return d.A() + d.B() + d.X() + d.Y() + d.Z() }", "D{}.C()"}, "36", ""},
		{"functions that call each other", []string{"func even(n int) bool { if n == 0 { return true }; return odd(n-1) }\nfunc odd(n int) bool { if n == 0 { return false }; return third(n-1) }\nfunc third(n int) bool { return even(n) }\neven(10)"}, "true", ""},
		{"functions that call each other, again", []string{"func a(n int) int { if n == 0 { return 1 }; return b(n-1) }\nfunc b(n int) int { if n == 0 { return 2 }; return a(n-1) }", "func a(n int) int { if n == 0 { return 10 }; return b(n-1) }\nfunc b(n int) int { if n == 0 { return 20 }; return a(n-1) }\na(3) + b(3)"}, "30", ""},
		{"a method again", []string{"type T struct{}\nfunc (T) M() int { return 1 }\nvar f = T{}.M", "func (T) M() int { return 2 }", "f() + T{}.M()*10"}, either("21", "22"), ""}, // gomacro's method values keep the old method
		{"nothing to show", []string{"5\ntype T struct{}"}, "", ""},
		{"range over int", []string{`s := 0
for i := range 4 { s += i }
s`}, "6", ""},
		{"range over typed int", []string{`var n uint8 = 3
var last uint8
for i := range n { last = i }
last`}, "2", ""},
		{"range over int without variable", []string{`import "fmt"`, `for range 3 { fmt.Print("x") }`}, "", "xxx"},
		{"range over int in a function", []string{`func f(n int) (s int) { for i := range n { s += i }; return }`, `f(5)`}, "10", ""},
		{"range over int returns", []string{`func f(n int) int { for i := range n { if i == 2 { return i } }; return -1 }`, `f(5)`}, "2", ""},
		{"range over int assigns", []string{"var i int\nfor i = range 3 {}\ni"}, "2", ""},
		{"range over int, counter changed", []string{`import "fmt"`, `for i := range 3 { i *= 10; fmt.Print(i, " ") }`}, "", "0 10 20 "},
		{"range over int, limit evaluated once", []string{`n := 3
c := 0
for range n { n++; c++ }
c`}, "3", ""},
		{"range over int, nested labels", []string{`import "fmt"`, `outer:
for i := range 3 { for j := range 3 { if j == 1 { continue outer }; if i == 2 { break outer }; fmt.Print(i, j, " ") } }`}, "", "0 0 1 0 "},
		{"range over negative", []string{`c := 0
for range -3 { c++ }
c`}, "0", ""},
		{"range over the rest", []string{`s := ""
for i, r := range "ab" { s += string(r) + string(rune('0'+i)) }
for _, v := range []string{"x"} { s += v }
for k := range map[string]int{"k": 1} { s += k }
for i := range [2]int{} { s += string(rune('0'+i)) }
s`}, "a0b1xk01", ""},
		{"variables per iteration", []string{`var f []func() int
for i := 0; i < 3; i++ { f = append(f, func() int { return i }) }
for i := range 3 { f = append(f, func() int { return i }) }
for _, v := range []int{7, 8} { f = append(f, func() int { return v }) }
s := 0
for _, g := range f { s = s*10 + g() }
s`}, "1201278", ""},
		{"min and max", []string{`min(3, 1, 2) + max(4, 9)`}, "10", ""},
		{"min and max of variables", []string{"x := 2.5\nmin(x, 3) + max(x, 1)"}, "5", ""},
		{"min of strings", []string{`min("b", "a")`}, "a", ""},
		{"min of NaN", []string{`import "math"`, `math.IsNaN(min(1, math.NaN()))`}, "true", ""},
		{"clear", []string{"m := map[int]int{1: 1}\ns := []int{1, 2}\nclear(m); clear(s)\nlen(m) + s[1]"}, "0", ""},
		{"own min shadows", []string{`func min(a, b int) int { return 42 }`, `min(1, 2)`}, "42", ""},
		{"var of several", []string{`func f() (int, string) { return 1, "a" }`, `var a, b = f()`, `a`}, "1", ""},
		{"typed var of several", []string{`func f() (int, int) { return 1, 2 }`, `var a, b int = f()`, `a + b`}, "3", ""},
		{"embedded interfaces", []string{`import "fmt"
type R interface { Read() int }
type W interface {
	Write() int // with a comment
	fmt.Stringer
}
type RW interface { W; R }
type T struct{}
func (T) Read() int { return 1 }
func (T) Write() int { return 2 }
func (T) String() string { return "T!" }
var x RW = T{}`, `import "fmt"`, `type More interface { RW; More() int }`, `x.Read() + x.Write()*10`}, "21", ""},
		{"embedded interface of an earlier cell", []string{`type B interface { Z() int; A() string }`, `type D interface { B; M() int }`,
			"type T struct{}\nfunc (T) Z() int { return 1 }\nfunc (T) A() string { return \"a\" }\nfunc (T) M() int { return 3 }\nvar d D = T{}", `d.Z() + d.M()`}, "4", ""},
		{"function literal called at once", []string{`func() int { return 5 }()`}, "5", ""},
		{"function literal with struct type", []string{"func(s struct{ A int }) struct{ B int } {\n\treturn struct{ B int }{s.A}\n}(struct{ A int }{4})"}, "{4}", ""},
		{"defer at top level", []string{`import "fmt"`, "x := 1\ndefer fmt.Print(\"last \", x)\nx = 2\nfmt.Print(\"first \")"}, "", "first last 1"},
		{"defer order", []string{`import "fmt"`, "for i := 0; i < 2; i++ { func() { defer fmt.Print(\"in \") ; fmt.Print(\"body \") }() }\ndefer fmt.Print(\"a\")\ndefer fmt.Print(\"b\")"}, "", "body in body in ba"},
		{"any", []string{`var x any = 3`, `x.(int) + 1`}, "4", ""},
		{"struct tags", []string{"import \"encoding/json\"\ntype J struct { A int `json:\"a\"` }\nb, _ := json.Marshal(J{3})\nstring(b)"}, `{"a":3}`, ""},
		{"callback", []string{"import \"sort\"\ns := []int{3, 1, 2}\nsort.Slice(s, func(i, j int) bool { return s[i] < s[j] })\ns"}, "[1 2 3]", ""},
		{"goroutines", []string{`import "sync"
var wg sync.WaitGroup
var mu sync.Mutex
total := 0
for i := range 10 { wg.Add(1); go func(k int) { defer wg.Done(); mu.Lock(); total += i*k; mu.Unlock() }(2) }
wg.Wait()
total`}, "90", ""},
		{"go with builtin", []string{"c := make(chan int)\ngo close(c)\n_, ok := <-c\nok"}, "false", ""},
		{"go variadic", []string{"c := make(chan int)\nfunc f(c chan int, xs ...int) { c <- len(xs) }\ngo f(c, []int{1, 2, 3}...)\n<-c"}, "3", ""},
		{"go takes arguments now", []string{"c := make(chan int, 2)\nx := 1\ngo func(v int) { c <- v }(x)\nx = 2\n<-c"}, "1", ""},
		{"channels", []string{"c := make(chan int, 3)\ngo func() { for i := range 3 { c <- i }; close(c) }()\ns := 0\nfor v := range c { s += v }\nv, ok := <-c\n_ = ok\ns + v"}, "3", ""},
		{"range over channel assigns", []string{"c := make(chan int, 3)\nc <- 1; c <- 2; close(c)\nvar v int\nfor v = range c {}\nv"}, either("0", "2"), ""},
		{"select", []string{"a, b := make(chan int, 1), make(chan string, 1)\na <- 4\nr := 0\nselect {\ncase v, ok := <-a:\n\tif ok { r = v }\ncase <-b:\n\tr = -1\n}\nr"}, "4", ""},
		{"select sends", []string{"a := make(chan int, 1)\nselect { case a <- 5: }\n<-a"}, "5", ""},
		{"select default", []string{"a := make(chan int)\nr := 0\nselect { case <-a: r = 1; default: r = 2 }\nr"}, "2", ""},
		{"signature as documentation", []string{`func JPEG([]byte) error`}, "", ""},
		{"strings that look like code", []string{"s := `\n%vars\n$ls\nfor i := range 3\nx?\n`\n// %vars\n/*\n%vars\n*/\nlen(s)"}, "31", ""},
		{"compiled methods", []string{`m := lab.NewModel(2)`, `m.Fit(3)`, `m.Size`}, "5", ""},
		{"member of a literal", []string{"type T struct { A int }\nfunc (t T) Twice() int { return 2 * t.A }\nT{A: 2}.A + T{3}.Twice()"}, "8", ""},
		{"type declared again, the same", []string{"type T struct { A int }\nfunc (t T) M() int { return t.A }\nx := T{1}", "type T struct { A int }", "x = T{5}\nx.M()"}, "5", ""},
		{"type declared again, another", []string{"type T struct { A int }\nx := T{1}", "type T struct { B string }\ny := T{\"b\"}", "x.A\ny.B"}, "b", ""},
		{"recover", []string{"func f() (s string) { defer func() { if r := recover(); r != nil { s = r.(string) } }(); panic(\"p\") }\nf()"}, "p", ""},
		{"blank in assignment", []string{"func f() (int, error) { return 1, nil }\nvar err error\n_, err = f()\nerr == nil"}, "true", ""},
		{"direct output", []string{`import "os"`, `import "fmt"`, `fmt.Fprintln(os.Stdout, "direct")`}, "", "direct\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, lab())
			var o outcome
			for _, cell := range tt.cells {
				o = s.ok(cell)
			}
			if o.value != tt.want || o.out != tt.out {
				t.Errorf("value %q, output %q; want %q and %q", o.value, o.out, tt.want, tt.out)
			}
			if o.err != "" {
				t.Errorf("stderr: %s", o.err)
			}
		})
	}
}

const cellTypes = `import ("fmt"; "errors")
type V struct{ code int }
func (e V) Error() string { return fmt.Sprint("code ", e.code) }
type P struct{ code int }
func (e *P) Error() string { return fmt.Sprint("pcode ", e.code) }
type C float64
func (c C) String() string { return fmt.Sprintf("%.1f C", float64(c)) }
func fail(i int) error {
	switch i {
	case 0: return V{3}
	case 1: return &P{5}
	case 2: return &V{4}
	}
	return nil
}`

// TestPrinting: types defined in cells print by their methods.
func TestPrinting(t *testing.T) {
	s := start(t, Options{})
	s.ok(cellTypes)
	for _, tt := range []struct{ code, value, out string }{
		{`V{1}`, "code 1", ""},
		{`&V{1}`, "code 1", ""},
		{`&P{2}`, "pcode 2", ""},
		{`fail(0)`, "code 3", ""},
		{`fail(1)`, "pcode 5", ""},
		{`fail(2)`, "code 4", ""},
		{`fail(3)`, "", ""},
		{`C(3)`, "3.0 C", ""},
		{`[]C{1, 2}`, "[1.0 C 2.0 C]", ""},
		{`fmt.Println(V{1}, &V{2}, &P{3}, C(4), []C{5}, 6)`, "", "code 1 code 2 pcode 3 4.0 C [5.0 C] 6\n"},
		{`fmt.Println(fail(0), fail(1), fail(2), fail(3))`, "", "code 3 pcode 5 code 4 <nil>\n"},
		{`fmt.Printf("%v %s %d %.2f\n", V{1}, C(2), []C{3}, float64(C(4)))`, "", either("code 1 2.0 C [%!d(float64=3)] 4.00\n", "code 1 2.0 C [%!d(main.C=3)] 4.00\n")},
		{`fmt.Sprint(C(1)) + fmt.Sprintf("%v", V{2})`, "1.0 Ccode 2", ""},
		{`fmt.Errorf("wrapped: %w", V{1})`, "wrapped: code 1", ""},
		{`errors.Unwrap(fmt.Errorf("wrapped: %w", V{1}))`, "code 1", ""},
		{`const boiling C = 100` + "\n" + `fmt.Println(boiling)`, "", "100.0 C\n"},
		{`var nobody *P` + "\n" + `fmt.Println(nobody)`, "", "<nil>\n"},
		{`func two() (int, string) { return 1, "x" }` + "\n" + `fmt.Println(two())`, "", "1 x\n"},
		{`xs := []interface{}{1, "a"}` + "\n" + `fmt.Println(xs...)`, "", "1 a\n"},
		{`go fmt.Println("go", C(1))` + "\n" + `import "time"` + "\n" + `time.Sleep(20*time.Millisecond)`, "", "go 1.0 C\n"},
		{`func d() { defer fmt.Println("defer", V{1}); fmt.Print("body ") }` + "\n" + `d()`, "", "body defer code 1\n"},
	} {
		o := s.run(tt.code)
		if o.failure != nil || o.value != tt.value || o.out != tt.out {
			t.Errorf("%s\nvalue %q, output %q, error %v; want %q and %q", tt.code, o.value, o.out, o.failure, tt.value, tt.out)
		}
	}
}

// TestRendering: values that say how they are shown.
func TestRendering(t *testing.T) {
	s := start(t, lab())
	s.ok(`import "image"
type H struct{ s string }
func (h H) HTML() string { return "<b>" + h.s + "</b>" }
type PH struct{ s string }
func (h *PH) HTML() string { return "<i>" + h.s + "</i>" }
type S struct{}
func (S) SimpleRender() display.MIMEMap { return display.MIMEMap{display.MIMETypeLatex: "$x$"} }
type R struct{}
func (R) Render() display.Data { return display.Data{Data: display.MIMEMap{"text/latex": "$y$"}} }
type Vec struct{}
func (Vec) SVG() string { return "<svg/>" }
type J struct{}
func (J) JSON() map[string]interface{} { return map[string]interface{}{"a": 1} }`)
	for _, tt := range []struct {
		code, mime string
		want       interface{}
	}{
		{`display.HTML("<b>")`, "text/html", "<b>"},
		{`H{"x"}`, "text/html", "<b>x</b>"},
		{`&H{"x"}`, "text/html", "<b>x</b>"},
		{`&PH{"x"}`, "text/html", "<i>x</i>"},
		{`S{}`, "text/latex", "$x$"},
		{`R{}`, "text/latex", "$y$"},
		{`Vec{}`, "image/svg+xml", "<svg/>"},
		{`J{}`, "application/json", map[string]interface{}{"a": 1}},
		{`lab.Table()`, "text/html", "<table></table>"},
		{`display.Math("x")`, "text/latex", "$$x$$"},
		{"import \"github.com/gopherdata/gophernotes\"\ngophernotes.Markdown(\"*\")", "text/markdown", "*"},
		{`func pic() (image.Image, error) { return image.NewRGBA(image.Rect(0, 0, 2, 2)), nil }` + "\n" + `pic()`, "image/png", nil},
	} {
		o := s.ok(tt.code)
		got, ok := o.data.Data[tt.mime]
		if !ok || tt.want != nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v", tt.code, o.data.Data)
		}
		if _, ok := o.data.Data["text/plain"].(string); !ok {
			t.Errorf("%s: no text: %v", tt.code, o.data.Data)
		}
	}
	o := s.ok("Display(H{\"y\"}, display.Markdown(\"*m*\"), 5)\nDisplay(lab.Table())\nUpdateDisplay(display.WithID(display.HTML(\"u\"), \"1\"))\nClearOutput(true)")
	if len(o.shown) != 4 || o.shown[0].Data["text/html"] != "<b>y</b>" || o.shown[1].Data["text/markdown"] != "*m*" || o.shown[2].Data["text/plain"] != "5" ||
		o.shown[3].Data["text/html"] != "<table></table>" {
		t.Errorf("Display showed %v", o.shown)
	}
	if o.value != "" {
		t.Errorf("Display has value %q", o.value)
	}
	if len(s.io.updated) != 1 || display.ID(s.io.updated[0]) != "1" || s.io.cleared != 1 {
		t.Errorf("updated %v, cleared %d", s.io.updated, s.io.cleared)
	}
}

// TestToolchain starts with and without Go on the path: gomacro panics at its start when it finds one.
func TestToolchain(t *testing.T) {
	check := func(t *testing.T) {
		root, path := build.Default.GOROOT, build.Default.GOPATH
		s := start(t, lab())
		if build.Default.GOROOT != root || build.Default.GOPATH != path {
			t.Error("build.Default changed")
		}
		if o := s.ok("import (\"fmt\"; \"net/http\"; \"strings\"; \"encoding/json\")\nfmt.Print(http.StatusOK)"); o.out != "200" {
			t.Errorf("output %q", o.out)
		}
		if o := s.run(`import "github.com/nobody/nothing"`); o.failure == nil || o.took.Seconds() > 2 {
			t.Errorf("unknown import: %v after %v", o.failure, o.took)
		}
		s.ok("m := lab.NewModel(1)")
	}
	t.Run("with Go", func(t *testing.T) {
		if _, err := exec.LookPath("go"); err != nil {
			missing(t, "no go command on PATH; put one there to test the start beside a toolchain")
		}
		check(t)
	})
	t.Run("without Go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		t.Setenv("GOROOT", "")
		check(t)
	})
}

// TestInput: cells read the front end's input.
func TestInput(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("fmt"; "os"; "bufio"; "strings")`)
	for _, tt := range []struct {
		code  string
		lines []string
		want  string
	}{
		{"var a string\nvar b int\nfmt.Print(\"name? \")\nfmt.Scanln(&a, &b)\nfmt.Println(a, b)", []string{"ann 3"}, "name? ann 3\n"},
		{"var a, b int\nfmt.Scan(&a, &b)\nfmt.Println(a + b)", []string{"1", "2"}, "3\n"},
		{"var a int\nfmt.Scanf(\"%d\\n\", &a)\nfmt.Println(a)", []string{"7"}, "7\n"},
		{"line, err := bufio.NewReader(os.Stdin).ReadString('\\n')\nfmt.Printf(\"%q %v\\n\", line, err)", []string{"hé llo"}, "\"hé llo\\n\" <nil>\n"},
		{"sc := bufio.NewScanner(os.Stdin)\nsc.Scan()\nfmt.Println(strings.ToUpper(sc.Text()))", []string{"abc"}, "ABC\n"},
	} {
		s.io.lines = tt.lines
		if o := s.ok(tt.code); o.out != tt.want {
			t.Errorf("%s\noutput %q, want %q", tt.code, o.out, tt.want)
		}
	}
	o := s.run("fmt.Print(\"before \")\nvar c string\nfmt.Scanln(&c)")
	if o.failure == nil || o.failure.Name != "NoInput" || o.out != "before " {
		t.Errorf("without input: %v, output %q", o.failure, o.out)
	}
}

// TestOutput: everything the process prints reaches the front end, in order.
func TestOutput(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("fmt"; "log"; "os"; "time")`)
	o := s.ok("log.SetFlags(0)\nlog.Print(\"logged\")\nfmt.Fprintln(os.Stderr, \"err\")\nprintln(\"builtin\")")
	if o.err != "logged\nerr\nbuiltin\n" {
		t.Errorf("stderr %q", o.err)
	}
	o = s.ok("for i := 0; i < 20000; i++ { fmt.Println(i) }")
	if n := strings.Count(o.out, "\n"); n != 20000 || !strings.HasSuffix(o.out, "19999\n") {
		t.Errorf("%d lines", n)
	}
	s.ok("os.Stdout.Close()\nos.Stderr.Close()")
	if o = s.ok("fmt.Println(\"again\")\nprintln(\"too\")\nlog.Print(\"logged\")"); o.out != "again\n" || o.err != "too\nlogged\n" {
		t.Errorf("after standard output was closed: %q and %q", o.out, o.err)
	}
	s.ok("go func() { time.Sleep(30 * time.Millisecond); fmt.Print(\"late\") }()")
	if o = s.ok("time.Sleep(200 * time.Millisecond)"); o.out != "late" {
		t.Errorf("output of a goroutine: %q", o.out)
	}
}
