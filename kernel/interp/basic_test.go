package interp

import "testing"

// TestBasicTypesAsInterfaces: numbers, strings and functions whose type has methods become interfaces wherever Go lets them.
func TestBasicTypesAsInterfaces(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("fmt"; "sort"; "time"; "strings"; "errors")
type Code int
func (c Code) Error() string { return fmt.Sprintf("code %d", int(c)) }
const (
	Low Code = iota + 1
	High
)
type Shape interface { Area() float64 }
type Square float64
func (s Square) Area() float64 { return float64(s * s) }
type Name string
func (n Name) String() string { return "<" + string(n) + ">" }
type Holder struct { Err error; N int; S fmt.Stringer }
x, sq := Code(4), Square(3)`)
	for _, tt := range []struct{ code, want string }{
		{"func ret() error { return Code(3) }\nret().Error()", "code 3"},
		{"func retc() error { return High }\nretc().Error()", "code 2"},
		{"func retv() (int, error) { c := Low; return 1, c }\n_, err := retv()\nerr", "code 1"},
		{"func arg(e error) string { return e.Error() }\narg(x) + arg(Code(5)) + arg(Low)", "code 4code 5code 1"},
		{"func args(n int, es ...error) (s string) { for _, e := range es { s += e.Error() }; return }\nargs(1, x, High)", "code 4code 2"},
		{"var e error = High\ne.Error()", "code 2"},
		{"var e2 error\ne2 = Code(9)\ne2.Error()", "code 9"},
		{"error(Low).Error() + error(x).Error()", "code 1code 4"},
		{"m := map[string]error{\"a\": x, \"b\": Low}\nm[\"a\"].Error() + m[\"b\"].Error()", "code 4code 1"},
		{"es := []error{x, High, nil}\nes = append(es, x, Code(7))\nes", "[code 4 code 2 <nil> code 4 code 7]"},
		{"Holder{x, 1, Name(\"n\")}.Err.Error() + Holder{S: Name(\"s\")}.S.String()", "code 4<s>"},
		{"type H2 struct { E error }\nH2{x}.E.Error() + H2{E: Low}.E.Error()", "code 4code 1"},
		{"c := make(chan error, 2)\nc <- x\nc <- High\n(<-c).Error() + (<-c).Error()", "code 4code 2"},
		{"func area(s Shape) float64 { return s.Area() }\narea(sq) + area(Square(2))", "13"},
		{"shapes := []Shape{sq, Square(4)}\nshapes[0].Area() + shapes[1].Area()", "25"},
		{"var sh Shape = sq\n_, ok := sh.(Square)\nok", "true"},
		{"switch v := e.(type) { case Code: _ = int(v); default: }\nint(e.(Code))", "2"},
		{"e == High && High != Low && x == 4", "true"},
		{"errors.Is(fmt.Errorf(\"w: %w\", Low), Low)", "true"},
		{"[]int{int(Low), len(string(Name(\"abc\"))), 5}[1] + int(High)", "5"},
		{"time.Duration(Low) * time.Second", "1s"},
		{"strings.Repeat(string(Name(\"ab\")), int(High))", "abab"},
		{"func() error { return High }().Error()", "code 2"},
		{"keys := map[Code]int{Low: 1, High: 2}\nkeys[High]", "2"},
		{"[High + 1]int{}", "[0 0 0]"},
		{"type Handler interface { Serve(string) string }\ntype HandlerFunc func(string) string\nfunc (h HandlerFunc) Serve(s string) string { return h(s) }\nvar h Handler = HandlerFunc(func(s string) string { return \"[\" + s + \"]\" })\nh.Serve(\"x\")", "[x]"},
		{"type T struct { V int }\nvar total = T{4}.Get()\nfunc (t T) Get() int { return t.V }\ntotal", "4"},
		{"type byLen []string\nfunc (b byLen) Len() int { return len(b) }\nfunc (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }\nfunc (b byLen) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nws := []string{\"ccc\", \"a\", \"bb\"}\nsort.Sort(byLen(ws))\nws", "[a bb ccc]"},
		{"n := 0\nfor i := range 3 { func(e error) { n += i }(x) }\nn", "3"},
		{"strings.Map(func(r rune) rune { return r + 1 }, \"HAL\")", "IBM"},
	} {
		if o := s.run(tt.code); o.failure != nil || o.value != tt.want {
			t.Errorf("%s\n%q %v, want %q", tt.code, o.value, o.failure, tt.want)
		}
	}
}
