package interp

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel"
)

// TestPrintingParts: what types defined in cells print, inside other values and with other verbs, is what compiled Go prints.
func TestPrintingParts(t *testing.T) {
	s := start(t, Options{})
	s.ok(cellTypes + `
type Part struct { Temp C; list []C; Note string }
type Code int
func (c Code) Error() string { return fmt.Sprintf("code %d", int(c)) }
type Shape interface { Area() float64 }
type Square struct { side float64 }
func (s Square) Area() float64 { return s.side * s.side }
type Named struct { Code; Name string }
type Plain struct { a int; B string; c []int }`)
	for _, tt := range []struct{ code, out string }{
		{`fmt.Printf("%d|%5d|%s|%v|%q|%x|%+v", Code(4), Code(4), Code(4), Code(4), Code(4), Code(4), Code(4))`, `4|    4|code 4|code 4|"code 4"|636f64652034|code 4`},
		{`fmt.Printf("%6.2f|%v", C(3), C(3))`, "  3.00|3.0 C"},
		{`fmt.Println(Part{1, []C{2}, "n"})`, either("{1.0 C [2.0 C] n}\n", "{1.0 C [2] n}\n")},
		{`fmt.Printf("%+v %v", Part{1, nil, "n"}, &Part{Note: "p"})`, "{Temp:1.0 C list:[] Note:n} &{0.0 C [] p}"},
		{`fmt.Println(map[string]C{"b": 2, "a": 1}, map[C]int{3: 1})`, "map[a:1.0 C b:2.0 C] map[3.0 C:1]\n"},
		{`fmt.Println([2]Code{1, 2}, [][]C{{1}, {2}})`, "[code 1 code 2] [[1.0 C] [2.0 C]]\n"},
		{`fmt.Println([]Shape{Square{2}, nil})`, "[{2} <nil>]\n"},
		{`fmt.Println([]error{V{1}, &P{2}, nil, errors.New("e")})`, "[code 1 pcode 2 <nil> e]\n"},
		{`fmt.Println(Named{5, "n"})`, "code 5\n"},
		{`fmt.Printf("%v %+v", Plain{1, "x", nil}, &Plain{1, "x", []int{2}})`, "{1 x []} &{a:1 B:x c:[2]}"},
		{`fmt.Printf("%T %T %T %T\n", Plain{}, &Part{}, []Code{}, errors.New)`, "main.Plain *main.Part []main.Code func(string) error\n"},
		{`var sh Shape = Square{1}` + "\n" + `fmt.Printf("%3d%%|%T|%v", 5, sh, 3)`, "  5%|main.Square|3"},
		{`fmt.Printf("%-8T|%d", V{1}, 3)`, "main.V  |3"},
		{`fmt.Printf("%d items\n", 3)`, "3 items\n"},
		{`var np *Plain` + "\n" + `fmt.Println(np, []*Plain{nil})`, "<nil> [<nil>]\n"},
	} {
		o := s.run(tt.code)
		if o.failure != nil || o.out != tt.out {
			t.Errorf("%s\noutput %q, error %v; want %q", tt.code, o.out, o.failure, tt.out)
		}
	}
	for _, tt := range []struct{ code, value string }{
		{`Plain{1, "x", nil}`, "{1 x []}"},
		{`&Part{Temp: 2}`, "&{2.0 C [] }"},
		{`[]Shape{Square{3}}`, "[{3}]"},
		{`map[string][]C{"a": {1}}`, "map[a:[1.0 C]]"},
	} {
		if o := s.ok(tt.code); o.value != tt.value {
			t.Errorf("%s has value %q, want %q", tt.code, o.value, tt.value)
		}
	}
}

// TestErrorChains: errors.Is and errors.As see errors of types that are defined in cells, also wrapped by and wrapping others.
func TestErrorChains(t *testing.T) {
	s := start(t, Options{})
	s.ok(cellTypes + `
import ("io"; "os"; "io/fs")
type Wrap struct { op string; err error }
func (w *Wrap) Error() string { return w.op + ": " + w.err.Error() }
func (w *Wrap) Unwrap() error { return w.err }
type Many struct{ list []error }
func (m Many) Error() string { return "many" }
func (m Many) Unwrap() []error { return m.list }
type Like struct{ n int }
func (l Like) Error() string { return "like" }
func (l Like) Is(target error) bool { return target == io.EOF }
var base = errors.New("base")
var v V
var p *P
var w *Wrap
var pathErr *fs.PathError
_, missing := os.Open("/does/not/exist")`)
	for _, tt := range []struct{ code, want string }{
		{`errors.Is(V{1}, V{1})`, "true"},
		{`errors.Is(V{1}, V{2})`, "false"},
		{`errors.Is(fmt.Errorf("w: %w", V{1}), V{1})`, "true"},
		{`errors.Is(fmt.Errorf("w: %w", base), base)`, "true"},
		{`errors.Is(&Wrap{"op", base}, base)`, "true"},
		{`errors.Is(fmt.Errorf("x: %w", &Wrap{"op", base}), base)`, "true"},
		{`errors.Is(Many{[]error{io.EOF, base}}, base)`, "true"},
		{`errors.Is(errors.Unwrap(fmt.Errorf("x: %w", base)), base)`, "true"},
		{`errors.Is(Like{1}, io.EOF)`, "true"},
		{`errors.Is(Like{1}, base)`, "false"},
		{`errors.Is(missing, fs.ErrNotExist)`, "true"},
		{`errors.Is(nil, base)`, "false"},
		{`errors.Is(base, nil)`, "false"},
		{`errors.As(fmt.Errorf("w: %w", V{7}), &v) && v.code == 7`, "true"},
		{`errors.As(fail(1), &p) && p.code == 5`, "true"},
		{`errors.As(fail(0), &p)`, "false"},
		{`errors.As(&Wrap{"op", &P{9}}, &p) && p.code == 9`, "true"},
		{`errors.As(fmt.Errorf("x: %w", &Wrap{"deep", base}), &w) && w.op == "deep"`, "true"},
		{`errors.As(missing, &pathErr) && pathErr.Op == "open"`, "true"},
		{`errors.As(&Wrap{"op", missing}, &pathErr)`, "true"},
		{`errors.As(base, &pathErr)`, "false"},
	} {
		if o := s.run(tt.code); o.failure != nil || o.value != tt.want {
			t.Errorf("%s: %q %v, want %s", tt.code, o.value, o.failure, tt.want)
		}
	}
	if o := s.run("var n int\nerrors.As(base, &n)"); o.failure == nil || o.failure.Name != either(kernel.NameCompile, kernel.NamePanic) ||
		!strings.Contains(o.failure.Value, either("", "*target must be interface or implement error")) {
		t.Errorf("errors.As of an int: %v", o.failure)
	}
}
